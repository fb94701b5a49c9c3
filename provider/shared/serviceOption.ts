/** The option by which whoever calls a function hands over the service itself: the plugin has one, and no program around it. */
export const serviceOption = Symbol("service");
