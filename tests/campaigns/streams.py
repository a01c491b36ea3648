#!/usr/bin/env python3
"""Streams: every command with outputs that cannot be written, readers that leave, and outputs that are inputs.

Never a signal but SIGPIPE, never status 0 when bytes were lost, an old output untouched after a failure, no input
changed, one line on standard error."""
import os
import shutil
import subprocess
import threading

from common import Campaign, Skip, contents, partial_files, write

SPELLINGS = ("same", "dotted", "symbolic", "hard")
OLD = b"the file of an earlier run\n"
DECODER = "'cp t.rerank {nbest}; : {weights}'"


class Command:
    """A command line with {name} for each output; `prints`: it writes to standard output."""

    def __init__(self, line, outputs=(), inputs=(), prints=False, vague=(), folder=False):
        self.line, self.outputs, self.inputs, self.prints = line, list(outputs), list(inputs), prints
        self.vague = vague  # outputs that contain times, whose bytes differ from run to run
        self.folder = folder  # the output is a folder

    def text(self, **places):
        return self.line.format(**{name: places.get(name, "new." + name) for name in self.outputs})

    def __str__(self):
        return self.text()


def train(task, more="", inputs=()):
    return Command(f"hinge train {task} t.{task} {more} --epochs 2 -o {{model}} --log {{log}} --checkpoint {{ckpt}}",
                   ["model", "log", "ckpt"], [f"t.{task}", *inputs], vague=("log", "ckpt"))


def predict(task, more=""):
    return Command(f"hinge predict {task}.model t.{task} {more} -o {{out}}", ["out"], [f"{task}.model", f"t.{task}"])


def prints(line):
    return Command(line, prints=True)


COMMANDS = [
    train("tag"), train("dep", "-p hash_bits=8 -p label_bits=8"), train("rerank", "--refs t.ref", ["t.ref"]),
    train("const", "-p hash_bits=10 --dev d.const", ["d.const"]), train("classify"), train("coref", "-p hash_bits=10 --dev d.coref", ["d.coref"]),
    train("summarize", "-p words=20 --dev d.summarize", ["d.summarize"]),
    train("tag", "--dev d.tag --init tag.model", ["d.tag", "tag.model"]),
    train("tag", "--config c.toml", ["c.toml"]), train("tag", "--features f.txt", ["f.txt"]),
    train("dep", "--dev d.dep --tagger upos.model -p hash_bits=8 -p label_bits=8", ["d.dep", "upos.model"]),
    train("rerank", "--refs t.ref --dev d.rerank --dev-refs d.ref --init w.txt", ["t.ref", "d.ref", "d.rerank", "w.txt"]),
    Command("hinge train tag t.tag --dev d.tag --epochs 2 --search C=0.1,1 -o {model} --log {log}", ["model", "log"],
            ["t.tag", "d.tag"], vague=("log",)),
    Command("hinge train --resume tag.ckpt --epochs 3 -o {model} --log {log} --checkpoint {ckpt}", ["model", "log", "ckpt"],
            ["t.tag", "tag.ckpt"], vague=("log", "ckpt")),
    predict("tag"), predict("dep"), predict("rerank"), predict("tag", "--nbest 3"), predict("rerank", "--nbest 9"),
    predict("dep", "--tagger upos.model"),
    prints("hinge predict tag.model t.tag"), prints("hinge predict tag.model t.tag --scores"),
    prints("hinge predict const.model t.const --nbest 2"), prints("hinge evaluate const.model t.const"), predict("const"), predict("classify"),
    prints("hinge predict coref.model t.coref --html"), prints("hinge evaluate coref.model t.coref"), predict("coref"),
    prints("hinge evaluate summarize.model t.summarize"), predict("summarize"),
    prints("hinge predict dep.model t.dep"), prints("hinge predict rerank.model t.rerank --nbest 3"),
    prints("hinge evaluate tag.model t.tag"), prints("hinge evaluate tag.model t.tag --json"),
    prints("hinge evaluate dep.model t.dep"), prints("hinge evaluate rerank.model t.rerank --refs t.ref"),
    prints("hinge evaluate tag --system p.tag"),
    prints("hinge inspect tag.model"), prints("hinge inspect dep.model --verify"),
    prints("hinge inspect rerank.model --weights"),
    Command("hinge compare tag t.tag d.tag --learners perceptron,dcd --epochs 2 -o {out}", ["out"], ["t.tag", "d.tag"],
            folder=True, prints=True, vague=("out",)),
    Command("hinge sample tag --sentences 50 -o {out}", ["out"]), prints("hinge sample dep --sentences 50"),
    Command("hinge sample rerank --sentences 9 -o {out} --refs {refs}", ["out", "refs"]),
    Command("hinge cache t.rerank -o {out}", ["out"], ["t.rerank"]),
    Command("hinge cache t.rerank d.rerank --merge -o {out}", ["out"], ["t.rerank", "d.rerank"]),
    Command(f"hinge tune --decoder {DECODER.replace('{', '{{').replace('}', '}}')} --source t.ref --refs t.ref --init w.txt "
            "--iterations 2 --epochs 2 -o {model} --weights {weights}", ["model", "weights"], ["t.ref", "w.txt"]),
    prints("hinge learners"), prints("hinge learners dcd"), prints("hinge tasks"), prints("hinge tasks tag"),
    prints("hinge templates chunk"), prints("hinge docs"), prints("hinge --help"), prints("hinge train --help"),
    prints("hinge --version"),
]


def prepare(campaign):
    for seed, name in ((1, "t"), (2, "d")):
        campaign.must(f"hinge sample tag --sentences 20 --seed {seed} -o {name}.tag")
        campaign.must(f"hinge sample dep --sentences 8 --seed {seed} -o {name}.dep")
        campaign.must(f"hinge sample const --sentences 8 --seed {seed} -o {name}.const")
        campaign.must(f"hinge sample coref --sentences 40 --seed {seed} -o {name}.coref; hinge sample summarize --sentences 60 --seed {seed} -o {name}.summarize")
        campaign.must(f"hinge sample classify --sentences 20 --seed {seed} -o {name}.classify")
        campaign.must(f"hinge sample rerank --sentences 6 --seed {seed} -o {name}.rerank --refs {name}.ref")
    campaign.must("hinge train tag t.tag --epochs 2 -q -o tag.model --checkpoint tag.ckpt")
    campaign.must("hinge train tag t.dep --epochs 2 -q -o upos.model -p format=conllu")
    campaign.must("hinge train dep t.dep --epochs 2 -q -o dep.model -p hash_bits=8 -p label_bits=8")
    campaign.must("hinge train const t.const --epochs 2 -q -o const.model -p hash_bits=10; hinge train classify t.classify --epochs 2 -q -o classify.model")
    campaign.must("hinge train coref t.coref --epochs 2 -q -o coref.model -p hash_bits=10; hinge train summarize t.summarize --epochs 2 -q -o summarize.model -p words=20")
    campaign.must("hinge train rerank t.rerank --refs t.ref --epochs 2 -q -o rerank.model")
    campaign.must("hinge predict tag.model t.tag -o p.tag")
    campaign.must("hinge templates chunk > f.txt; hinge inspect rerank.model --weights > w.txt; echo 'C = 0.1' > c.toml")


class Streams:
    def __init__(self, campaign):
        self.campaign = campaign
        self.baselines = {}
        self.lock = threading.Lock()
        self.inputs = {name: contents(os.path.join(campaign.data, name)) for name in os.listdir(campaign.data)}

    def fill(self, folder):
        for name, data in self.inputs.items():
            write(os.path.join(folder, name), data)

    def baseline(self, command):
        """Standard output and the outputs of an undisturbed run."""
        with self.lock:
            if str(command) not in self.baselines:
                folder = self.campaign.path(f"baseline{len(self.baselines)}")
                os.makedirs(folder)
                self.fill(folder)
                result = self.campaign.shell("exec " + str(command), folder, 60)
                if result.status != 0:
                    raise RuntimeError(f"cannot run {command}: {result.tail()}")
                files = {} if command.folder else {n: contents(os.path.join(folder, "new." + n)) for n in command.outputs}
                self.baselines[str(command)] = (result, files)
                shutil.rmtree(folder)
            return self.baselines[str(command)]

    def judge(self, line, folder, result, must_fail=False, must_work=False, one_line=True, partial=True):
        """The findings that hold for every case."""
        findings = []
        if result.breach():
            findings.append(result.breach())
        elif must_fail and result.status == 0:
            findings.append("exit 0 although bytes were lost")
        elif must_work and result.status != 0:
            findings.append(f"exit {result.status}: {result.tail()}")
        elif one_line and result.status == 1 and len(result.complaints()) != 1:
            findings.append(f"{len(result.complaints())} error lines instead of one: {result.tail()}")
        for name, data in self.inputs.items():
            if contents(os.path.join(folder, name)) != data:
                findings.append(f"exit {result.status}, and the input {name} was changed")
        if partial and partial_files(folder):
            findings.append(f"leaves {partial_files(folder)}")
        return [f"{line}: {finding}" for finding in findings]

    def same_outputs(self, line, command, folder, status=0, skip=()):
        """Outputs that differ from those of an undisturbed run; after a failure they may be missing."""
        findings = []
        for name, expected in self.baseline(command)[1].items():
            found = contents(os.path.join(folder, "new." + name))
            if name in skip or found == expected:
                continue
            if found is None and status == 0:
                findings.append(f"{line}: exit 0 without the output new.{name}")
            elif found is not None and name not in command.vague:
                findings.append(f"{line}: exit {status}, and new.{name} has other bytes than usual")
        return findings

    # Standard streams.
    def standard(self, command, how, touches_stdout, touches_stderr):
        def case(_, folder):
            usual = self.baseline(command)[0]
            self.fill(folder)
            line = how.format(command)
            result = self.campaign.shell(line, folder)
            lost = touches_stdout and bool(usual.out)
            findings = self.judge(line, folder, result, must_fail=lost, must_work=not lost and not touches_stderr,
                                  one_line=not touches_stderr)
            if touches_stderr and not lost and result.status == 1:
                findings.append(f"{line}: exit 1, the work was lost because messages could not be written")
            return findings + self.same_outputs(line, command, folder, result.status)
        return case

    # An output that cannot be written.
    def unwritable(self, command, output, kind):
        def case(_, folder):
            self.baseline(command)
            self.fill(folder)
            place, clean = self.place(kind, folder)
            try:
                before = contents(os.path.join(folder, place)) if kind in ("full disk", "read-only") else None
                if kind in ("full disk", "read-only") and command.folder:
                    place += ".folder"
                line = command.text(**{output: place})
                limit = "ulimit -f 3; trap '' XFSZ; " if kind == "size limit" else ""
                result = self.campaign.shell(limit + "exec " + line, folder)
                line = f"{limit}{line} [{place}: {kind}]"
                warned = output == "ckpt" and "warning" in result.err
                if kind == "size limit" and result.status == 0 and not warned:
                    return self.judge(line, folder, result) + self.same_outputs(line, command, folder, skip=command.outputs)
                findings = self.judge(line, folder, result, must_fail=not warned)
                if before is not None and contents(os.path.join(folder, place)) != before and not command.folder:
                    findings.append(f"{line}: the old output was changed")
                changed = [n for n in command.outputs if n not in (output, "ckpt") and os.path.exists(os.path.join(folder, "new." + n))]
                if changed and "nothing was changed" in result.err and not warned:
                    findings.append(f"{line}: says that nothing was changed, but wrote {changed}")
                return findings
            finally:
                clean()
        return case

    def place(self, kind, folder):
        """A path of this kind, relative to the folder, and what to do afterwards."""
        if kind == "/dev/full":
            return "/dev/full", lambda: None
        if kind == "no folder":
            return "absent/x", lambda: None
        if kind == "folder":
            os.makedirs(os.path.join(folder, "there"))
            return "there", lambda: None
        if kind == "size limit":
            return "x", lambda: None
        mounted = os.path.join(folder, "disk")
        os.makedirs(mounted)
        if kind == "read-only" and os.geteuid() != 0:
            write(os.path.join(mounted, "x"), OLD)
            os.chmod(mounted, 0o555)
            return "disk/x", lambda: os.chmod(mounted, 0o755)
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "campaign", mounted], capture_output=True)
        if made.returncode != 0:
            raise Skip
        write(os.path.join(mounted, "x"), OLD)
        if kind == "read-only":
            subprocess.run(["mount", "-o", "remount,ro", mounted], check=True)
        else:
            try:
                write(os.path.join(mounted, "filler"), bytes(1 << 16))
            except OSError:
                pass
        return "disk/x", lambda: subprocess.run(["umount", mounted], check=True)

    # An output that is an input.
    def overwrites(self, command, output, name, spelling):
        def case(_, folder):
            self.baseline(command)
            self.fill(folder)
            place = spelled(folder, name, spelling)
            line = command.text(**{output: place})
            result = self.campaign.shell("exec " + line, folder)
            return self.judge(f"{line} [{place}: {spelling} as {name}]", folder, result)
        return case

    # Two outputs that are one file.
    def collides(self, command, first, second, spelling):
        def case(_, folder):
            self.baseline(command)
            self.fill(folder)
            write(os.path.join(folder, "x"), OLD)
            place = spelled(folder, "x", spelling)
            line = command.text(**{first: "x", second: place})
            result = self.campaign.shell("exec " + line, folder)
            line += f" [{place}: {spelling} as x]"
            findings = self.judge(line, folder, result, must_fail=True)
            if result.status == 1 and contents(os.path.join(folder, "x")) != OLD:
                findings.append(f"{line}: the old output was changed")
            return findings
        return case

    # Pipes by name.
    def named(self, command, output, how):
        def case(_, folder):
            usual = self.baseline(command)[1][output]
            self.fill(folder)
            place, form = how
            line = form.format("hinge" + command.text(**{output: place})[5:])
            result = self.campaign.shell(line, folder)
            findings = self.judge(line, folder, result, must_work=output not in command.vague)
            got = contents(os.path.join(folder, "got"))
            if result.status == 0 and output not in command.vague and got != usual:
                findings.append(f"{line}: exit 0, but {len(got or b'')} bytes arrived instead of {len(usual)}")
            if result.status == 0 and output in command.vague and not got and "warning" not in result.err:
                findings.append(f"{line}: exit 0, but nothing arrived")
            return findings
        return case

    def cases(self):
        standard = [("exec {} > /dev/full", True, False), ("exec {} >&-", True, False),
                    ("exec {} 2> /dev/full", False, True), ("exec {} 2>&-", False, True), ("exec {} <&-", False, False),
                    ("exec {} <&- >&- 2>&-", True, True), ("{} > /dev/full 2>&1", True, True),
                    ("({{ sleep 0.1; exec {}; }} | true; exit ${{PIPESTATUS[0]}})", True, False),
                    ("trap '' PIPE; ({{ sleep 0.1; exec {}; }} | true; exit ${{PIPESTATUS[0]}})", True, False),
                    ("({} | head -c 1 > /dev/null; exit ${{PIPESTATUS[0]}})", False, None),
                    ("trap '' PIPE; {{ sleep 0.1; exec {}; }} 2> >(true)", False, True)]
        pipes = [("/dev/stdout", "exec {} > got"), ("/dev/stdout", "set -o pipefail; {} | cat > got"),
                 ("/dev/fd/3", "exec {} 3> got"),
                 ("pipe", "mkfifo pipe; timeout 40 cat pipe > got & {}; s=$?; wait $!; exit $s")]
        cases = []
        for command in COMMANDS:
            for how, out, err in standard:
                cases.append(self.leaver(command, how) if err is None else self.standard(command, how, out, err))
            for number, output in enumerate(command.outputs):
                kinds = ["full disk", "read-only", "/dev/full"]
                kinds += [] if command.folder else ["no folder", "folder", "size limit"]
                cases += [self.unwritable(command, output, kind) for kind in kinds]
                cases += [self.overwrites(command, output, name, s) for name in command.inputs for s in SPELLINGS
                          # A checkpoint may be resumed into itself, and a model trained further in place.
                          if (output, name) not in (("ckpt", "tag.ckpt"), ("model", "tag.model"))]
                if not command.folder:
                    # A checkpoint is replaced again and again: pipes are refused.
                    cases += [self.named(command, output, how) for how in pipes if output != "ckpt"]
                cases += [self.collides(command, first, output, s) for first in command.outputs[:number]
                          for s in SPELLINGS[:3]]
        return cases

    def leaver(self, command, how):
        """A reader that leaves early: small outputs may fit into the pipe."""
        def case(_, folder):
            self.baseline(command)
            self.fill(folder)
            line = how.format(command)
            return self.judge(line, folder, self.campaign.shell(line, folder))
        return case


def spelled(folder, name, spelling):
    """Another path of the same file."""
    if spelling == "same":
        return name
    if spelling == "dotted":
        return f"../{os.path.basename(folder)}/./{name}"
    make = os.symlink if spelling == "symbolic" else os.link
    make(name if spelling == "symbolic" else os.path.join(folder, name), os.path.join(folder, "linked"))
    return "linked"


def main():
    campaign = Campaign("streams", __doc__)
    prepare(campaign)
    campaign.run(Streams(campaign).cases())


main()
