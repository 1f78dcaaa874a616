import { badRequest } from "../errors.js";
import type { Json } from "../params.js";
import type { Call, Method, Methods } from "../state.js";
import { readChat } from "../target.js";

/** The bot's commands and descriptions. */
export const commandMethods: Methods = {
  setMyCommands,
  setMyDescription: profileSetter("description", 512),
  getMyDescription: ({ params, state }) => ({
    description: profileOf(params.text("language_code"), "description", state),
  }),
  setMyShortDescription: profileSetter("short_description", 120),
  getMyShortDescription: ({ params, state }) => ({
    short_description: profileOf(params.text("language_code"), "short_description", state),
  }),
};

const GROUP_SCOPES: ReadonlySet<unknown> = new Set(["chat_administrators", "chat_member"]);

/** @throws BotApiError `chat not found`, and for a private chat with a scope of groups */
function readScope({ params, state }: Call): Json | undefined {
  const scope = params.record("scope");
  const names = params.inside(scope ?? {});
  if (!names.text("chat_id")) return scope;
  const chat = readChat(names, state.world);
  if (chat.isPrivate && GROUP_SCOPES.has(scope?.type)) {
    throw badRequest("can't use specified scope in private chats");
  }
  return { ...scope, chat_id: chat.id };
}

function language({ params }: Call): string {
  return params.text("language_code") ?? "";
}

function setMyCommands(call: Call): true {
  const { params, state } = call;
  state.commands.set(params.list("commands") ?? [], readScope(call), language(call));
  state.world.emit({ type: "commands" });
  return true;
}

function profileSetter(field: string, lengthMax: number): Method {
  return (call) => {
    const value = call.params.text(field) ?? "";
    if ([...value].length > lengthMax) throw badRequest(`${field.toUpperCase()}_INVALID`);
    call.state.profile.set(`${field}/${language(call)}`, value);
    call.state.world.emit({ type: "commands" });
    return true;
  };
}

/** The text for a language, else the one for all languages. */
export function profileOf(
  code: string | undefined,
  field: string,
  { profile }: Pick<Call["state"], "profile">,
): string {
  return profile.get(`${field}/${code ?? ""}`) || profile.get(`${field}/`) || "";
}
