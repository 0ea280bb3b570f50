#!/usr/bin/env python3
"""Holds Docs/asyncapi.yaml to Docs/Protocol.md, which is normative, and the words of both to the sources.

Prints one line per difference and exits 1 if there is one. Needs PyYAML and jsonschema; reads only, starts nothing.
"""

import json
import pathlib
import re
import sys

import jsonschema
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROTOCOL = (ROOT / "Docs/Protocol.md").read_text(encoding="utf-8")
SOURCES = ROOT / "Sources/RoostWire"
WIRE_MEMBERS = ROOT / "Tests/RoostCoreTests/Wire/WireMembers.swift"
DOCUMENT = yaml.safe_load((ROOT / "Docs/asyncapi.yaml").read_text(encoding="utf-8"))
MESSAGES = DOCUMENT["components"]["messages"]

# The text in place of a value in an example of the protocol: `{group}` in commands, `…` in events.
PLACEHOLDER = re.compile(r"\{[a-z]+(?::[a-z]+)?\}")
EXAMPLES_MIN = 40  # The page has more; finding fewer means that this script no longer finds them.

problems = []


def expect(condition, text):
    if not condition:
        problems.append(text)


def same(what, one, other):
    """Two sets that have to be equal: the first of Protocol.md or asyncapi.yaml, the second of what is held to it."""
    for name in sorted(set(one) ^ set(other), key=str):
        problems.append(f"{what}: {name} is only in the {'document' if name in one else 'other'}")


def words(text):
    return set(re.findall(r"`([\w.]+)`", text))


def found(pattern):
    match = re.search(pattern, PROTOCOL, re.DOTALL)
    if not match:
        sys.exit(f"Protocol.md: nothing matches {pattern!r}; this script has to learn the new wording")
    return match[1]


def schema(name):
    return {"$ref": f"#/components/messages/{name}/payload", "components": DOCUMENT["components"]}


def resolve(node):
    while "$ref" in node:
        target = DOCUMENT
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        node = target
    return node


def properties(node):
    """The members that a schema names, those of its parts too."""
    node = resolve(node)
    named = dict(node.get("properties", {}))
    for part in node.get("allOf", []) + node.get("anyOf", []):
        named = properties(part) | named
    return named


def check_example(name, example, where):
    """Valid by the schema, and every member named in it: schemas ignore members that they don't know."""
    if name not in MESSAGES:
        problems.append(f"{where}: asyncapi.yaml has no {name}")
        return
    validator = jsonschema.Draft7Validator(schema(name))
    for error in validator.iter_errors(example):
        problems.append(f"{where}: {name}: {error.message}")
    for member in unnamed(MESSAGES[name]["payload"], example):
        problems.append(f"{where}: {name} has no member {member}")


def unnamed(node, value):
    named = properties(node)
    if isinstance(value, list):
        items = resolve(node).get("items", {})
        return [member for element in value for member in unnamed(items, element)]
    if not isinstance(value, dict) or not named:
        return []
    below = [inner for name in value if name in named for inner in unnamed(named[name], value[name])]
    return [name for name in value if name not in named] + below


def commands():
    """The fenced examples, as `(line, command)`."""
    for block in re.findall(r"^```json\n(.*?)^```", PROTOCOL, re.DOTALL | re.MULTILINE):
        for line in block.splitlines():
            filled = PLACEHOLDER.sub("x", line.replace("{position}", "1").replace("{fed}", "e-1"))
            yield line, json.loads(filled)


def events():
    """The examples of events within the text, as `(text, event)`; one for each choice where there is one."""
    for text in re.findall(r"`(\{\"type\":.*?\})`(?!\w)", PROTOCOL):
        filled = re.sub(r":…", ":0", text.replace("[…]", "[]"))
        choices = re.search(r'"((?:\w+\|)+\w+)"', filled)
        for choice in choices[1].split("|") if choices else [""]:
            event = json.loads(filled.replace(choices[1], choice) if choices else filled)
            if event["type"] == "error":
                event["code"] = "bad_request"
            yield text, event


def check_examples():
    count = 0
    for text, command in commands():
        check_example(f"command.{command['type']}", command, text)
        count += 1
    for text, event in events():
        check_example(f"event.{event['type']}", event, text)
        count += 1
    expect(count >= EXAMPLES_MIN, f"only {count} examples found in Protocol.md")
    for name, message in MESSAGES.items():
        expect(message.get("examples"), f"{name} has no example")
        for example in message.get("examples", []):
            check_example(name, example["payload"], "asyncapi.yaml")
            expect(example["payload"]["type"] == message["name"], f"{name}: its example is of another type")
    return count


def check_names():
    """Every command and event that one names, the other does."""
    free = words(found(r"`pong`\. (.*?) may leave the `id` out"))
    asked = {command["type"] for _, command in commands()} | free
    replies = words(found(r"exactly one\*\* reply that repeats it as `re`:(.*?)\. ")) - {"hello", "ping"}
    told = {event["type"] for _, event in events()} | replies | words(found(r"Durable events \((.*?)\)"))
    kinds = {"command": {}, "event": {}}
    for name, message in MESSAGES.items():
        kind, _, type_name = name.partition(".")
        kinds[kind][type_name] = message
        expect(type_name == message["name"], f"{name} is called {message['name']}")
        expect(properties(message["payload"])["type"] == {"const": type_name}, f"{name}: wrong type")
    same("commands", asked, kinds["command"])
    same("events", told, kinds["event"])
    for name, message in kinds["command"].items():
        expect(("id" in message["payload"]["required"]) == (name not in free), f"{name}: is id required?")
    for name, message in MESSAGES.items():
        for member in properties(message["payload"]):
            expect(re.search(rf'`{member}[`:]|"{member}":', PROTOCOL), f"{name}: Protocol.md has no member {member}")
        for member in message.get("x-ok", []):
            expect(member in properties(MESSAGES["event.ok"]["payload"]), f"{name}: ok has no member {member}")
    limits = DOCUMENT["components"]["schemas"]["limits"]["required"]
    same("limits", words(found(r"\| `limits` \|(.*?)\n")), limits)


def check_references():
    """The channel has every message, and the operations split them into received, replied and sent."""
    channel = DOCUMENT["channels"]["socket"]["messages"]
    same("messages of the channel", MESSAGES, channel)
    for name, reference in channel.items():
        expect(reference["$ref"] == f"#/components/messages/{name}", f"{name}: wrong reference in the channel")
    receive, send = DOCUMENT["operations"]["receiveCommand"], DOCUMENT["operations"]["sendEvent"]
    named = [
        reference["$ref"].rpartition("/")[2]
        for reference in receive["messages"] + receive["reply"]["messages"] + send["messages"]]
    same("messages of the operations", MESSAGES, named)
    expect(len(named) == len(set(named)), "a message is in two operations")


def check_codes():
    errors = dict(re.findall(r"^\| `(\w+)` \| (yes|no) \|", PROTOCOL, re.MULTILINE))
    codes = DOCUMENT["components"]["schemas"]["errorCode"]
    same("error codes", errors, codes["enum"])
    same("error codes", errors, codes["x-retry"])
    for code, retry in codes["x-retry"].items():
        expect((errors.get(code) == "yes") == retry, f"{code}: is it worth a retry?")
    same("ErrorCode.swift", errors, re.findall(r'"(\w+)"', source("ErrorCode.swift")))

    closes = {}
    for numbers, back in re.findall(r"^\| (\d{4}(?:, \d{4})*) \| (yes|no|) ?\|", PROTOCOL, re.MULTILINE):
        closes |= {number: back for number in numbers.split(", ")}
    documented = DOCUMENT["channels"]["socket"]["x-close-codes"]
    same("close codes", closes, documented)
    for code, close in documented.items():
        word = {True: "yes", False: "no", None: ""}[close.get("return")]
        expect(closes.get(code) == word, f"{code}: come back?")
    same("CloseCode.swift", closes, re.findall(r"case \w+ = (\d{4})", source("CloseCode.swift")))

    statuses = {int(status) for status in re.findall(r"^\| (\d{3}) \|", PROTOCOL, re.MULTILINE)}
    same("statuses", statuses, DOCUMENT["channels"]["socket"]["x-refused-before-upgrade"])


def source(name):
    return (SOURCES / name).read_text(encoding="utf-8")


def declared(name, head):
    """The words of the enum that begins with `head`: the texts in it, or the names of its cases if it has none."""
    body = re.search(rf"^( *)(?:public )?enum {head}.*?\n(.*?)^\1\}}", source(name), re.DOTALL | re.MULTILINE)
    if not body:
        sys.exit(f"{name}: has no enum {head}; this script has to learn where it is")
    cases = [word for line in re.findall(r"^ *case ([\w, ]+)$", body[2], re.MULTILINE) for word in line.split(", ")]
    return re.findall(r'"([\w.]+)"', body[2]) or cases


def check_vocabulary():
    """The words of RoostWire are those of asyncapi.yaml."""
    schemas = DOCUMENT["components"]["schemas"]
    commands = [name.removeprefix("command.") for name in MESSAGES if name.startswith("command.")]
    same("CommandType", commands, declared("CommandType.swift", "CommandType"))
    events = [name.removeprefix("event.") for name in MESSAGES if name.startswith("event.")]
    same("EventType", events, declared("Events/EventType.swift", "EventType"))
    same("MemberRole", schemas["role"]["enum"], declared("Identifiers.swift", "MemberRole"))
    same("ConversationKind", schemas["conversationKind"]["enum"], declared("Identifiers.swift", "ConversationKind"))
    states = properties(MESSAGES["command.presence"]["payload"])["state"]["enum"]
    same("PresenceActivity", states, declared("Identifiers.swift", "PresenceActivity"))
    choices = properties(MESSAGES["command.status"]["payload"])["state"]["enum"]
    same("StatusChoice", choices, declared("Identifiers.swift", "StatusChoice"))
    privacy = {name: schemas[name[0].lower() + name[1:]] for name in
               ("PresenceAudience", "LastSeenDetail", "ReadAudience")}
    privacy["SeenRange"] = schemas["seenRange"]
    privacy["PrivacyException"] = properties(schemas["exception"])["as"]
    for name, schema in privacy.items():
        same(name, schema["enum"], declared("Privacy.swift", name))
    contact = properties(schemas["ownContact"])["state"]["enum"]
    same("ContactState", contact, declared("ContactCommand.swift", "ContactState"))
    same("RequestState", schemas["requestState"]["enum"], declared("Events/ConversationSummary.swift", "RequestState"))
    same("EndReason", properties(schemas["ended"])["reason"]["enum"], declared("EndReason.swift", "EndReason"))
    devices = properties(schemas["ownDevice"])["state"]["enum"]
    same("OwnDevice", devices, declared("Events/OwnDevice.swift", "State"))
    durability = properties(MESSAGES["event.welcome"]["payload"])["durability"]["enum"]
    same("Durability", durability, declared("Identifiers.swift", "Durability"))
    presence = schemas["presenceState"]["enum"]
    same("UserPresence", presence, declared("Events/UserPresence.swift", "State"))
    changes = properties(MESSAGES["event.conversation"]["payload"])["event"]["enum"]
    same("ConversationEvent", changes, declared("Events/ConversationEvent.swift", "Word"))


def check_members():
    """The list of members that the tests hold against the models and the relay is that of asyncapi.yaml."""
    text = WIRE_MEMBERS.read_text(encoding="utf-8")
    listed = dict(re.findall(r'^    "(\w+)": "+([^"]*?)"+,$', text, re.DOTALL | re.MULTILINE))
    schemas = DOCUMENT["components"]["schemas"]
    events = [name for name in MESSAGES if name.startswith("event.")]
    nodes = {name.removeprefix("event."): MESSAGES[name]["payload"] for name in events}
    nodes |= {name: schemas[name] for name in
              ("conversationObject", "origin", "pin", "ban", "timeout", "sequenceRange", "member", "reactionCount",
               "threadSummary")}
    nodes["userPresence"] = schemas["presence"]
    nodes |= {name: schemas[name] for name in
              ("userProfile", "personShown", "onlineCount", "ownStatus", "ownPrivacy", "exception", "ownContact",
               "prospect", "invite", "invitation", "joinRequest",
               "ownDevice", "ended", "people", "herePerson", "person",
               "personDevice", "whereabouts",
               "recipient", "recipientDevice", "keptStatistics", "timing", "feed", "feedEvent", "erasure",
               "setting", "messageReceipt", "reports", "report", "reported", "personNamed", "found", "groupFound",
               "linkFound")}
    same("WireMembers.swift", [*nodes, "limits"], listed)
    for name, members in listed.items():
        named = schemas["limits"]["required"] if name == "limits" else properties(nodes.get(name, {}))
        same(f"WireMembers.swift: {name}", set(named) - {"type"}, set(members.replace("\\", " ").split()))


def main():
    count = check_examples()
    check_names()
    check_references()
    check_codes()
    check_vocabulary()
    check_members()
    for problem in problems:
        print(problem)
    print(f"Protocol.md and asyncapi.yaml: {count} examples, {len(MESSAGES)} messages, {len(problems)} differences")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
