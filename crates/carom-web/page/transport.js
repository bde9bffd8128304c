// How the page reaches the engine.
export const transport = "server";
