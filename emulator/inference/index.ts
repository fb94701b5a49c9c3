export { chat, generateAudio, generateImage, getRequestCost } from "./inference";
