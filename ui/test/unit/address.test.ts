import { describe, expect, test } from "vitest";
import { whereIs } from "../../src/lib/address";

describe("how far a text travels", () => {
  test.each([
    ["http://127.0.0.1:11434", "machine", "127.0.0.1:11434"],
    ["http://localhost:1234/v1", "machine", "localhost:1234"],
    ["http://[::1]:8080/v1", "machine", "[::1]:8080"],
    ["http://127.5.4.3/", "machine", "127.5.4.3"],
    ["http://192.168.1.5:8000/v1", "network", "192.168.1.5:8000"],
    ["http://10.0.0.9", "network", "10.0.0.9"],
    ["http://172.31.0.1", "network", "172.31.0.1"],
    ["http://desk.local:11434", "network", "desk.local:11434"],
    ["http://[fd12:3456::1]:80", "network", "[fd12:3456::1]"],
    ["https://api.deepseek.com/v1", "away", "api.deepseek.com"],
    ["https://172.32.0.1", "away", "172.32.0.1"],
    ["https://localhost.example.com", "away", "localhost.example.com"],
    ["https://127.0.0.1.example.com", "away", "127.0.0.1.example.com"],
    ["not an address", "away", "not an address"],
  ])("%s", (address, reach, host) => expect(whereIs(address)).toEqual({ reach, host }));
});
