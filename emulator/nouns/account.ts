/** The one user of the one account. */
export const user = { id: "user-emulator", name: "Emulator", email: "user@emulator.invalid", picture: null };
