// A scripted model with OpenAI's interface, on loopback, with plain Node.

import { createServer } from "node:http";

/** Phrases of a text, sent one by one, so that a draft visibly grows. */
const phrases = (text) => text.match(/[^，。,.]+[，。,.]?\s*/g) ?? [text];
const pause = (ms) =>
  new Promise((done) => {
    setTimeout(done, ms);
  });

export class ScriptedModel {
  /** Every request: method, path, authorization, body. */
  asked = [];
  /** The number of candidates whose client disconnected before their end. */
  left = 0;
  /** The texts of the candidates, in the order of the requests. */
  drafts = [
    "The tide came in, and nobody spoke.",
    "He looked up, and down again.",
    "The lamp went out, and came back.",
  ];
  models = ["tide-1", "tide-1-mini"];
  /** The object that a request with a schema gets, or a function of the request's body that returns it. */
  reply = { kind: "answer" };
  /** A status other than 200 refuses requests; `body` is sent with it. Null: no refusal. */
  refusal = null;
  /** The numbers of drafts that stop after their first phrase until `release`. */
  held = new Set();
  /** The numbers of drafts that end in an error after their first phrase. */
  breaks = new Set();
  #server;
  #next = 0;
  #gates = [];

  static async start() {
    const model = new ScriptedModel();
    model.#server = createServer((request, response) =>
      model.#answer(request, response).catch(() => response.destroy()),
    );
    await new Promise((done) => {
      model.#server.listen(0, "127.0.0.1", done);
    });
    return model;
  }

  get url() {
    return `http://127.0.0.1:${this.#server.address().port}/v1`;
  }

  /** The requests for candidates. */
  get runs() {
    return this.asked.filter(({ path, body }) => path.endsWith("/chat/completions") && body.stream);
  }

  /** Called before each run: the next request gets draft 0. */
  rewind({ held = [], breaks = [] } = {}) {
    this.#next = 0;
    this.held = new Set(held);
    this.breaks = new Set(breaks);
  }

  release() {
    for (const open of this.#gates.splice(0)) open();
  }

  async stop() {
    this.release();
    this.#server.closeAllConnections();
    await new Promise((done) => {
      this.#server.close(done);
    });
  }

  async #answer(request, response) {
    let text = "";
    for await (const piece of request.setEncoding("utf8")) text += piece;
    const body = text === "" ? null : JSON.parse(text);
    this.asked.push({ method: request.method, path: request.url, authorization: request.headers.authorization, body });
    if (this.refusal) {
      response.writeHead(this.refusal.status, { "content-type": "application/json", ...this.refusal.headers });
      response.end(JSON.stringify(this.refusal.body ?? {}));
    } else if (request.url.endsWith("/models")) {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ object: "list", data: this.models.map((id) => ({ id, object: "model" })) }));
    } else if (request.url.endsWith("/chat/completions")) await this.#write(body, response);
    else response.writeHead(404).end();
  }

  #replyTo(body) {
    return JSON.stringify(typeof this.reply === "function" ? this.reply(body) : this.reply);
  }

  async #write(body, response) {
    const several = Array.from({ length: body.n ?? 1 }, () => this.#next++);
    if (!body.stream) {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(
        JSON.stringify({
          choices: several.map((_, index) => ({
            index,
            message: { role: "assistant", content: "ok" },
            finish_reason: "stop",
          })),
        }),
      );
      return;
    }
    let gone = false;
    response.on("close", () => {
      gone = !response.writableEnded;
    });
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (event) => {
      if (!gone) response.write(`data: ${JSON.stringify(event)}\n\n`);
    };
    await Promise.all(
      several.map(async (number, index) => {
        const text =
          body.response_format || body.tools ? this.#replyTo(body) : this.drafts[number % this.drafts.length];
        const [first, ...rest] = phrases(text);
        send({ choices: [{ index, delta: { role: "assistant", content: first } }] });
        if (this.breaks.has(number)) {
          send({ error: { message: "the machine is on fire", type: "server_error" } });
          response.end();
          gone = true;
          return;
        }
        if (this.held.has(number))
          await new Promise((open) => {
            this.#gates.push(open);
            response.on("close", open);
          });
        for (const content of rest) {
          await pause(20);
          send({ choices: [{ index, delta: { content } }] });
        }
        if (gone && !this.breaks.has(number)) this.left += 1;
        send({ choices: [{ index, delta: {}, finish_reason: "stop" }] });
      }),
    );
    send({ choices: [], usage: { prompt_tokens: 900, completion_tokens: 40, total_tokens: 940 } });
    if (!gone) response.end("data: [DONE]\n\n");
  }
}
