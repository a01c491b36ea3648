#!/usr/bin/env python3
"""Options: every option of every command, task and learner with hostile values, as a flag, as -p and in TOML.

Exit 0, or 1 with one line that names the option or the value; never 2, a signal, a hang or a `nan`. A value that the
table of options rules out is refused."""
import json
import os
import re
import shlex
import shutil

from common import Campaign, Skip

VALUES = ["", " ", "abc", "-1", "-0", "0", "1", "1.5", "-1.5", "1e308", "1e309", "-1e308", "1e-320", "nan", "-nan", "inf", "-inf",
          "2147483648", "4294967297", "9223372036854775807", "9223372036854775808", "18446744073709551615",
          "18446744073709551616", "9" * 40, "0x10", "1_000", "+5", " 3", "3 ", "3x", "1,5", "\uff11", "\u00e9\u732b", "true", "maybe", "a=b", "%s%n",
          "..", "/", "a" * 20000, "9" * 20000, "a\nb", "\x1b[31mred", "\udcff\udcfe"]
HUGE = 10**6  # a valid number of epochs, sentences or iterations above this takes long by right
TAG = {"TASK": "tag", "TRAIN": "t.tag", "--dev": "d.tag", "--epochs": "2", "--time-budget": "0.3", "-o": "m.model"}
DEP = {"TASK": "dep", "TRAIN": "t.dep", "--dev": "d.dep", "--epochs": "2", "--time-budget": "0.3", "-o": "m.model"}
RERANK = {"TASK": "rerank", "TRAIN": "t.rerank", "--refs": "t.ref", "--dev": "d.rerank", "--dev-refs": "d.ref", "--epochs": "2",
          "--time-budget": "0.3", "-o": "m.model"}
CLASSIFY = {**TAG, "TASK": "classify", "TRAIN": "t.classify", "--dev": "d.classify"}
CONST = {**TAG, "TASK": "const", "TRAIN": "t.const", "--dev": "d.const"}
COREF = {**TAG, "TASK": "coref", "TRAIN": "t.coref", "--dev": "d.coref"}
SUMMARIZE = {**TAG, "TASK": "summarize", "TRAIN": "t.summarize", "--dev": "d.summarize"}
TRAIN = {"tag": TAG, "dep": DEP, "rerank": RERANK, "classify": CLASSIFY, "const": CONST, "coref": COREF, "summarize": SUMMARIZE}
COMMANDS = {
    "predict": {"MODEL": "tag.model", "INPUT": "t.tag"}, "evaluate": {"MODEL": "tag.model", "GOLD": "t.tag"},
    "inspect": {"MODEL": "tag.model"}, "sample": {"TASK": "tag"}, "cache": {"NBEST": "t.rerank", "-o": "x.cache"},
    "compare": {"TASK": "tag", "TRAIN": "t.tag", "DEV": "d.tag", "--learners": "perceptron,dcd", "--epochs": "2", "-o": "compared"},
    "tune": {"--decoder": "cp t.rerank {nbest}; : {weights}", "--source": "t.ref", "--refs": "t.ref", "--epochs": "2",
             "--iterations": "2", "-o": "m.model"},
    "learners": {"NAME": "dcd"}, "tasks": {"NAME": "tag"}, "templates": {"NAME": "chunk"}}
FLAG = re.compile(r"^  (?:(-\w),)?(--[\w-]+|-\w|[A-Z|]+) (TEXT|INT|UINT|FLOAT)\S*")
ROW = re.compile(r"^\| `(\w+)`[^|]*\| (.*?) \| (.*?) \|")


def allows(allowed, value):
    """Whether the words of the table of options allow a value; None: either."""
    if value in (" 3", "3 ", "0x10", "1_000"):
        return None  # readers of numbers differ here
    number = re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", value)
    limits = [float(x) for x in re.findall(r"(?<![\w.])\d+(?:\.\d+)?", allowed)]
    if allowed.startswith("one of"):
        return value in re.split(r", ", allowed[len("one of "):])
    if allowed == "true or false":
        return None if value in ("0", "1") else value in ("true", "false")
    if allowed.startswith("a whole number") and not re.fullmatch(r"[+-]?\d+", value):
        return None if number and float(value) == int(float(value)) and abs(float(value)) < 1e18 else False
    if not allowed.startswith(("a whole number", "a number")):
        return None
    if not number or abs(float(value)) == float("inf"):
        return False
    x = float(value)
    if "whole" in allowed and abs(x) >= 2**64:
        return False
    if value in ("+5", "1e-320") or (abs(x) >= 2**63 and "whole" in allowed):
        return None if x >= 0 else False
    if "above" in allowed:
        return x > limits[0] and (len(limits) < 2 or x <= limits[1])
    return x >= limits[0] and (len(limits) < 2 or x <= limits[1])


def prepare(campaign):
    for seed, name in ((1, "t"), (2, "d")):
        campaign.must(f"hinge sample tag --sentences 6 --seed {seed} -o {name}.tag; hinge sample dep --sentences 5 --seed {seed} -o {name}.dep")
        campaign.must(f"hinge sample rerank --sentences 3 --seed {seed} -o {name}.rerank --refs {name}.ref")
        campaign.must(f"hinge sample classify --sentences 6 --seed {seed} -o {name}.classify")
        campaign.must(f"hinge sample const --sentences 6 --seed {seed} -o {name}.const")
        campaign.must(f"hinge sample coref --sentences 40 --seed {seed} -o {name}.coref; hinge sample summarize --sentences 60 --seed {seed} -o {name}.summarize")
    campaign.must("hinge train tag t.tag --epochs 2 -q -o tag.model; hinge train tag t.dep -q --epochs 1 -o upos.model")


def tables(campaign):
    """(section, name) -> (default, allowed) from `hinge docs`; sections are '', tasks and learners."""
    section, found = "", {}
    for line in campaign.must("hinge docs").out.splitlines():
        heading = re.match(r"^### `([\w-]+)`", line)
        if heading:
            section = heading[1]
        row = ROW.match(line)
        if row and row[2] != "---" and section != "presets":
            found[section, row[1]] = row[3]
        if line == "## Feature presets":
            break
    return found


def flags_of(campaign, command):
    for line in campaign.must(f"hinge {command} --help").out.splitlines():
        found = FLAG.match(line)
        if found:
            yield found[1] or found[2].split("|")[0], found[2], found[3]


def quoted(value):
    """For bash; what cannot be printed is escaped."""
    data = value.encode("utf-8", "surrogateescape")
    if value.isprintable() and data.decode("utf-8", "replace") == value:
        return shlex.quote(value)
    return "$'" + "".join(chr(b) if 32 <= b < 127 and b not in b"'\\" else f"\\x{b:02x}" for b in data) + "'"


def line_of(command, words):
    """The command line; positional words are those in capitals."""
    line = f"hinge {command}"
    for name, value in words.items():
        line += f" {quoted(value)}" if name.isupper() else f" {name}={quoted(value)}" if name.startswith("--") else f" {name} {quoted(value)}"
    return line


class Options:
    def __init__(self, campaign):
        self.campaign = campaign
        self.tables = tables(campaign)

    def run(self, line, folder, names, value, allowed, files=()):
        for file in os.listdir(self.campaign.data):
            shutil.copy(os.path.join(self.campaign.data, file), folder)
        for name, text in files:
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        result = self.campaign.shell("ulimit -v 4194304; " + line, folder)
        shown = line if len(line) < 400 else re.sub(r"(a{50,}|9{50,})", lambda m: f"{m[0][0]}...{len(m[0])} times", line)
        shown += "".join(f" [{name}: {text[:60]!r}]" for name, text in files)
        finding = self.judge(result, names, value, allowed)
        if not finding and result.status == 0 and os.path.isfile(os.path.join(folder, "m.model")) and allowed.startswith("a number"):
            shown += "; hinge inspect m.model"
            finding = self.judge(self.campaign.shell("hinge inspect m.model", folder), names, value, "text")
        return [f"{shown}: {finding}"] if finding else []

    def judge(self, result, names, value, allowed):
        if result.breach():
            return result.breach()
        if result.status == 0:
            if re.search(r"(?<![a-z])nan(?![a-z])", result.out + result.err) and "nan" not in value:
                line = re.search(r".*(?<![a-z])nan(?![a-z]).*", result.out + result.err)[0]
                return f"prints nan: {line[:150]!r}"
            return f"exit 0, but the value must be {allowed}" if allows(allowed, value) is False else None
        if result.status != 1:
            return None
        if len(result.err) > 5000:
            return f"a message of {len(result.err)} characters: {result.err[:60]!r}"
        if "\x1b" in result.err:
            return f"prints raw terminal escapes: {result.tail()}"
        errors = [l for l in result.err.splitlines() if re.match(r"hinge: (?!warning:)", l)]
        if len(errors) != 1:
            return f"{len(errors)} error lines instead of one: {result.err[:150]!r}"
        shown = re.sub(r"[\x00-\x1f\x7f]", "?", value.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
        parts = [p.strip()[:20] or p for p in re.split("[,=]", shown)]
        known = {form for n in names for form in (n.strip("-"), n.strip("-").replace("-", "_"), n.strip("-").replace("_", "-"))}
        # Numbers that overflow are noticed where they do, not where they were given; an empty value has no name to show.
        if re.search("out of memory|step size|is empty|is required|no task ''|expected: ;", errors[0]):
            return None
        if not any(n and n in errors[0] for n in [*known, *parts]):
            return f"the message does not name the option: {errors[0][:150]!r}"
        return None

    def flag(self, command, base, names, value, allowed):
        def case(_, folder):
            words = dict(base)
            for name in names:
                words.pop(name, None)
            words = {**words, names[0]: value} if names[0].startswith("-") else {**base, names[0]: value}
            line = line_of(command, words)
            return self.run(line + " | head -c 100000 > /dev/null; exit ${PIPESTATUS[0]}" if command == "sample" else line,
                            folder, names, value, allowed)
        return case

    def parameter(self, task, learner, name, value, allowed, way):
        def case(_, folder):
            words = dict(TRAIN[task])
            if learner:
                words["--learner"] = learner
            words.pop("--" + name, None)
            line = line_of("train", words)
            if way == "-p":
                return self.run(f"{line} -p {quoted(name + '=' + value)}", folder, [name], value, allowed)
            if way == "--search":
                return self.run(f"{line} --search {quoted(name + '=' + value)}", folder, [name, "search"], value, "text")
            value_there, text = toml(value, way)
            return self.run(f"{line} --config c.toml", folder, [name, "c.toml"], value_there, allowed,
                            [("c.toml", f"[options]\n{name} = {text}\n")])
        return case

    def setting(self, base, name, value, allowed, way):
        def case(_, folder):
            words = {n: v for n, v in base.items() if n.strip("-").lower().replace("-", "_") != name and (name, n) != ("output", "-o")}
            line = line_of("train", words)
            value_there, text = toml(value, way)
            return self.run(f"{line} --config c.toml", folder, [name, "c.toml", "TASK", "TRAIN"], value_there, allowed,
                            [("c.toml", f"{name} = {text}\n")])
        return case

    def cases(self):
        cases = []
        for command in ("train", *COMMANDS):
            for name, long, kind in flags_of(self.campaign, command):
                base = dict(COMMANDS.get(command, TAG))
                if command == "train" and long in ("--refs", "--dev-refs"):
                    base = dict(RERANK)
                if long in ("--system", "--gold"):
                    base = {"TASK": "tag", "--system": "t.tag"}
                if long == "--jackknife":
                    base = {**DEP, "--tagger": "upos.model"} if command == "train" else base
                key = long.strip("-").replace("-", "_").lower() if command in ("train", "compare", "tune") else None
                allowed = self.tables.get(("", key)) or {"INT": "a whole number", "UINT": "a whole number of at least 0"}.get(kind, "text")
                if key in ("epochs", "c"):
                    allowed = {"epochs": "a whole number of at least 1", "c": "a number above 0"}[key]
                if allowed == "a whole number":
                    allowed = "a whole number of at least 0"
                for value in VALUES:
                    if value.isdigit() and HUGE < float(value) < 2**64 and command != "train" and key in ("epochs", "iterations"):
                        continue
                    cases.append(self.flag(command, base, [name, long], value, allowed))
        for (section, name), allowed in self.tables.items():
            for value in VALUES:
                if not section:
                    base = {**DEP, "--tagger": "upos.model"} if name == "jackknife" else TAG
                    cases += [self.setting(base, name, value, allowed, way) for way in ("text", "bare")]
                    continue
                task = section if section in TRAIN else "rerank" if section == "mert" else "tag"
                learner = None if section in TRAIN else section
                cases += [self.parameter(task, learner, name, value, allowed, way) for way in ("-p", "text", "bare", "--search")]
        return cases


def toml(value, way):
    """The value that TOML means and how it is written: as text, or bare where it is a number or a truth value there."""
    if any(0xD800 <= ord(c) < 0xE000 for c in value):
        raise Skip
    if way == "text":
        return value, json.dumps(value)
    if not re.fullmatch(r"[+-]?(\d[\d_]*(\.\d+)?(e[+-]?\d+)?|nan|inf|0x\d+)|true|false", value) or len(value) > 100:
        raise Skip
    meant = str(int(value, 0)) if value in ("0x10", "1_000", "+5", "-0") else value
    return repr(float(value)) if "e" in value[1:-1] and value[-1].isdigit() else meant.replace("-nan", "nan"), value


def main():
    campaign = Campaign("options", __doc__)
    prepare(campaign)
    campaign.run(Options(campaign).cases())


main()
