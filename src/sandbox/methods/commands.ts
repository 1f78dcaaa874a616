import type { TelegramBotCommand } from "@gramio/types";
import { badRequest } from "../errors.js";
import type { Call, Method, Methods } from "../state.js";

/** The bot's commands, name and descriptions. */
export const commandMethods: Methods = {
  setMyCommands,
  getMyCommands,
  deleteMyCommands,
  setMyName: profileSetter("name", 64),
  getMyName: ({ params, state }) => ({ name: profileOf(params.text("language_code"), "name", state) }),
  setMyDescription: profileSetter("description", 512),
  getMyDescription: ({ params, state }) => ({
    description: profileOf(params.text("language_code"), "description", state),
  }),
  setMyShortDescription: profileSetter("short_description", 120),
  getMyShortDescription: ({ params, state }) => ({
    short_description: profileOf(params.text("language_code"), "short_description", state),
  }),
  setChatMenuButton: () => true,
  getChatMenuButton: () => ({ type: "commands" }),
};

function language({ params }: Call): string {
  return params.text("language_code") ?? "";
}

function setMyCommands(call: Call): true {
  const { params, state } = call;
  state.commands.set(params.list("commands") ?? [], params.record("scope"), language(call));
  state.world.emit({ type: "commands" });
  return true;
}

function getMyCommands(call: Call): readonly TelegramBotCommand[] {
  return call.state.commands.get(call.params.record("scope"), language(call));
}

function deleteMyCommands(call: Call): true {
  call.state.commands.delete(call.params.record("scope"), language(call));
  call.state.world.emit({ type: "commands" });
  return true;
}

function profileSetter(field: string, lengthMax: number): Method {
  return (call) => {
    const value = call.params.text(field) ?? "";
    if ([...value].length > lengthMax) throw badRequest(`${field.toUpperCase()}_INVALID`);
    call.state.profile.set(`${field}/${language(call)}`, value);
    return true;
  };
}

function profileOf(code: string | undefined, field: string, { profile, world }: Call["state"]): string {
  const fallback = field === "name" ? world.bot.first_name : "";
  return profile.get(`${field}/${code ?? ""}`) || profile.get(`${field}/`) || fallback;
}
