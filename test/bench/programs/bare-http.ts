import { createServer } from "node:http";

/** The least that answers HTTP: node:http that sends the same bytes to every GET. The parent process says what to send. */
let answer = Buffer.from('{"ok":true}');

process.on("message", (text: string) => {
  answer = Buffer.from(text);
});
const server = createServer((_request, response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": answer.length });
  response.end(answer);
});
process.on("SIGTERM", () => process.exit(0));
server.listen(Number(process.env.HTTP_PORT), "127.0.0.1", () => process.send?.("listening"));
