#!/usr/bin/env python3
"""Damage: models, checkpoints, caches and inputs with flipped bits, cut, repeated, or with extreme numbers.

Models, caches and checkpoints mostly get right checksums again, so that the damage is read. Never a crash, a hang,
an internal error or more than 2 GB: an error line or an answer. Without right checksums a model that is accepted
answers as the sound one does."""
import ctypes
import gzip
import json
import os
import struct
import threading

from common import Campaign, Skip, contents, write

MEMORY = "ulimit -v 2097152; "
MAGICS = (b"HINGE\r\n\x1a", b"HNBST\r\n\x1a")
WHOLE = [0, 1, 2, 255, 256, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**62, 2**63 - 1, 2**63, 2**64 - 1]
TEXTS = ["0", "-1", "1e308", "-1e308", "nan", "inf", "18446744073709551616", "2147483648", "4294967296", "", "_", "\t", " ",
         "\0", "\ufeff", "\udcff", "1-2", "1.1", "2-1", "|||", "= =", "x=", "\r", "\n\n", "\n", "#", "A|B", "?", "a" * 70000,
         "%x[-1,0]", "%x[99999999999,0]", "%x[0,4294967296]", "%y", "{", "[", '"', "\\"]
JSONS = [None, True, -1, 0, 2**63, 2**64, 1e308, "", "x", "nan", "-1", "18446744073709551616", "1e400", [], {}, [[]], "a" * 5000]


def find_hash():
    """XXH3 (64 bits) of data and a seed, from the module or the library xxhash; None if there is neither."""
    try:
        import xxhash
        return xxhash.xxh3_64_intdigest
    except ImportError:
        pass
    try:
        function = ctypes.CDLL("libxxhash.so.0").XXH3_64bits_withSeed
        function.restype = ctypes.c_uint64
        function.argtypes = (ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64)
        return lambda data, seed=0: function(data, len(data), seed)
    except (OSError, AttributeError):
        return None


HASH = find_hash()


def sections_of(data):
    count = struct.unpack_from("<I", data, 12)[0]
    rows = [struct.unpack_from("<16sQQ", data, 24 + 40 * s) for s in range(count)]
    return [(name, data[offset:offset + size]) for name, offset, size in rows]


def aligned(size):
    return (size + 63) // 64 * 64


def section_file(magic, sections, spoil=None):
    """The file of these sections; `spoil` may change the section table before its checksum is made."""
    offset = aligned(24 + 40 * len(sections) + 8)
    table, body = b"", b""
    for name, data in sections:
        table += struct.pack("<16sQQQ", name, offset + len(body), len(data), HASH(data))
        body += data.ljust(aligned(len(data)), b"\0")
    header = magic + struct.pack("<IIQ", 1, len(sections), offset + len(body)) + table
    if spoil:
        header = spoil(header)
    return (header + struct.pack("<Q", HASH(header))).ljust(offset, b"\0") + body


def damaged(rng, data):
    """These bytes after one to three accidents."""
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if not data:
            return bytes(data)
        size = len(data)
        at = rng.randrange(size)
        length = min(size - at, rng.choice((1, 4, 8, 16, 64, 1000)))
        other = rng.randrange(size - length + 1)
        kind = rng.randrange(8)
        if kind == 0:
            for _ in range(rng.choice((1, 2, 8))):
                data[rng.randrange(size)] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del data[at:]
        elif kind == 2:
            data[at:at + length], data[other:other + length] = data[other:other + length], data[at:at + length]
        elif kind == 3:
            data[at:at] = data[other:other + length] * rng.choice((1, 1, 3))
        elif kind == 4:
            del data[at:at + length]
        elif kind == 5:
            data[at:at + length] = bytes([rng.choice((0, 255, 127, 128))]) * length
        else:
            extreme(rng, data, likely_number(rng, data) if kind == 6 else at)
    return bytes(data)


def likely_number(rng, data):
    """A place that seems to hold a small whole number, such as a length or an index."""
    for _ in range(50):
        at = rng.randrange(min(len(data), rng.choice((200, 5000, 10**9))))
        value = data[at:at + 8]
        if len(value) == 8 and value[3:] == b"\0" * 5 and value[0]:
            return at
    return rng.randrange(len(data))


def extreme(rng, data, at):
    if rng.random() < 0.2:
        value = struct.pack(*rng.choice((("<f", float("nan")), ("<d", float("inf")), ("<d", -1e308), ("<f", 3e38))))
    else:
        value = struct.pack("<Q", rng.choice(WHOLE))[:rng.choice((4, 8))]
    data[at:at + len(value)] = value


def damaged_json(rng, data):
    """A description with one value replaced."""
    root = json.loads(data)
    node = root
    while True:
        key = rng.choice(sorted(node) if isinstance(node, dict) else range(len(node)))
        if not isinstance(node[key], (dict, list)) or not node[key] or rng.random() < 0.2:
            break
        node = node[key]
    if isinstance(node, dict) and rng.random() < 0.2:
        del node[key]
    else:
        node[key] = rng.choice(JSONS)
    return json.dumps(root).encode()


def damaged_sections(rng, data):
    sections = sections_of(data)
    if rng.random() < 0.1:
        return section_file(data[:8], sections, lambda header: header[:8] + damaged(rng, header[8:]))
    if rng.random() < 0.1:
        del sections[rng.randrange(len(sections))]
        return section_file(data[:8], sections)
    which = rng.randrange(len(sections))
    name, section = sections[which]
    if section[:8] in MAGICS and rng.random() < 0.8:
        section = damaged_sections(rng, section)
    elif name.rstrip(b"\0") == b"meta" and section[:1] == b"{" and rng.random() < 0.7:
        section = damaged_json(rng, section)
    else:
        section = damaged(rng, section)
    sections[which] = (name, section)
    return section_file(data[:8], sections)


def block_sums(sections):
    """The section "sums" of a compiled training set (hinge/files/block_cache.h)."""
    named = {name.rstrip(b"\0").decode(): data for name, data in sections}
    numbers = lambda name: struct.unpack(f"<{len(named[name]) // 8}Q", named[name])
    infos, at = [], 8
    for _ in range(struct.unpack_from("<Q", named["columns"])[0]):
        size = struct.unpack_from("<Q", named["columns"], at)[0]
        infos.append((named["columns"][at + 8:at + 8 + size].decode(), struct.unpack_from("<I", named["columns"], at + 8 + size)[0]))
        at += 12 + size
    blocks, width = numbers("blocks"), len(infos) + 1
    rows = [blocks[k:k + width] for k in range(0, len(blocks), width)]
    sums = [HASH(named["state"])]
    for first, last in zip(rows, rows[1:]):
        total = 0
        for c, (name, bytes_each) in enumerate(infos):
            surplus = len(named[name]) // bytes_each - rows[-1][c + 1]
            total = HASH(named[name][first[c + 1] * bytes_each:(last[c + 1] + surplus) * bytes_each], total)
        sums.append(total)
    return struct.pack(f"<{len(sums)}Q", *sums)


def damaged_cache(rng, data):
    """One section is damaged, mostly without a change of its size; the sums of blocks are made right where that is possible."""
    sections = sections_of(data)
    which = rng.randrange(len(sections))
    name, section = sections[which]
    spoiled = damaged(rng, section)
    sections[which] = (name, spoiled[:len(section)].ljust(len(section), b"\0") if rng.random() < 0.7 else spoiled)
    try:
        sums = block_sums(sections)
        sections = [(name, sums if name.startswith(b"sums\0") else section) for name, section in sections]
    except (struct.error, KeyError, UnicodeDecodeError, IndexError, ZeroDivisionError, ValueError, OverflowError, MemoryError):
        pass
    return section_file(data[:8], sections)


def damaged_checkpoint(rng, data):
    size = struct.unpack_from("<Q", data, 12)[0]
    head, description, rest = data[:12], data[20:20 + size], data[20 + size:-8]
    kind = rng.random()
    if kind < 0.2:
        description = damaged_json(rng, description)
    elif kind < 0.25:
        description = damaged(rng, description)
    else:
        rest = damaged(rng, rest)
    whole = head + struct.pack("<Q", len(description)) + description + rest
    return whole + struct.pack("<Q", HASH(whole))


def damaged_text(rng, data):
    if data[:2] == b"\x1f\x8b":
        return gzip.compress(damaged_text(rng, gzip.decompress(data)), 1) if rng.random() < 0.5 else damaged(rng, data)
    if rng.random() < 0.3:
        return damaged(rng, data)
    lines = data.split(b"\n")
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = rng.randrange(len(lines))
        separator = rng.choice((b"\t", b" ", b"=", b":"))
        fields = lines[at].split(separator)
        field = rng.randrange(len(fields))
        kind = rng.randrange(5)
        if kind < 3:
            fields[field] = rng.choice(TEXTS).encode("utf-8", "surrogateescape")
        elif kind == 3:
            del fields[field]
        else:
            fields.insert(field, fields[rng.randrange(len(fields))])
        lines[at] = separator.join(fields)
    return b"\n".join(lines)


SMALL = "-p hash_bits=6 -p label_bits=6"
TREES = "-p hash_bits=8 -p folds=2"
MODELS = {"tag": {"tag": "--learner perceptron", "tagcrf": "--learner crf", "taghash": "-p hash_bits=8 -p average=true",
                  "tagchunk": "--features ner -p clusters=clusters.txt", "tagpairs": "--features plain --kernel poly",
                  "tagcubes": "--features plain --kernel poly --degree 3 -p hash_bits=8 --learner mira",
                  "tagvectors": "--features plain --kernel tanh -p s=0.1 --learner sgd"},
          "dep": {"dep": SMALL, "dep2": f"-p order=2 {SMALL} --learner mira", "depdict": "-p hash_bits=0 -p decoder=chu-liu-edmonds",
                  "depcrf": f"--learner crf {SMALL}"},
          "const": {"const": TREES, "constnone": f"--grammar none {TREES}", "consttags": f"--tagger xpos.model --features lexical+aux {TREES}",
                    "constneural": f"--features span+neural -p hidden=16 --learner ops {TREES}"},
          "classify": {"classify": ""},
          "coref": {"coref": "-p hash_bits=8", "corefgold": "-p hash_bits=8 -p mentions=gold", "corefdict": "-p hash_bits=0"},
          "summarize": {"summarize": "-p words=20"},
          "rerank": {"rerank": "--refs t.ref", "ngrams": "--refs t.ref -p ngrams=2", "pro": "--refs t.ref -p pairs=5 --learner crf"}}
CACHES = {"tag": "--learner perceptron -p hash_bits=8", "dep": SMALL, "dep-2": SMALL + " -p order=2", "classify": "--learner crf -p hash_bits=8",
          "const": TREES, "const-aux": TREES + " --features lexical+aux", "const-exact": TREES + " -p exact=true --learner crf",
          "const-none": "--grammar none", "const-neural": TREES + " --features neural -p hidden=16 --learner ops"}
CHECKPOINTS = {"tag": ("perceptron", "mira -p k=2", "ops", "sgd", "smd", "dcd", "dcd-light", "ocp", "bcfw", "cpd", "cutting-plane",
                       "one-slack", "smo", "crf", "softmax-margin", "egd", "extragradient", "perceptron --shards 2"),
               "dep": ("mira", "dcd", "bcfw", "one-slack", "crf", "egd", "mira -p order=2"),
               "const": ("mira", "dcd", "smd", "one-slack", "crf", "mira --grammar none"),
               "classify": ("mira", "dcd"),
               "coref": ("mira", "ops", "dcd", "crf"),
               "summarize": ("mira", "dcd", "one-slack"),
               "rerank": ("mira", "dcd", "mert", "cpd", "crf -p pairs=5", "mira --shards 2")}


def prepare(campaign):
    """Makes the sound files; returns them with the commands that read them as (name, commands, how to damage)."""
    must = campaign.must
    must("hinge sample tag --sentences 4 -o t.tag; hinge sample dep --sentences 4 -o t.dep")
    must("hinge sample const --sentences 4 -o t.const; hinge sample classify --sentences 6 -o t.classify; hinge sample coref --sentences 30 -o t.coref")
    must("hinge sample summarize --sentences 60 -o t.summarize")
    must("hinge train tag t.const --column xpos --epochs 1 -q -o xpos.model")
    must("hinge sample rerank --sentences 3 -o t.rerank --refs t.ref; hinge cache t.rerank -o t.cache")
    must("gzip -k t.tag t.rerank; hinge templates chunk > chunk.txt; hinge templates dep > dep.txt")
    must("awk 'NF {print \"0101\" NR % 2 \"\\t\" $1 \"\\t\" 3}' t.tag | sort -u -k2,2 > clusters.txt")
    must("awk 'NF && $3 != \"O\" {print $3, \"O\", 2}' t.tag | sort -u > costs.txt")
    write(os.path.join(campaign.data, "c.toml"), b'learner = "dcd"\nepochs = 2\nthreads = 2\n[options]\nC = 0.1\nmin_count = 1\n')
    files = []
    for task, models in MODELS.items():
        for name, options in models.items():
            must(f"hinge train {task} t.{task} {options} --epochs 2 -q -o {name}.model")
            tagger = "--tagger xpos.model" if "--tagger" in options else ""
            refs = "--refs t.ref" if task == "rerank" else ""
            extra = "--scores" if task != "rerank" else "--nbest 3"
            files.append((f"{name}.model", [
                f"hinge predict {{}} t.{task} {tagger}", f"hinge predict {{}} t.{task} {tagger} {extra}",
                f"hinge predict {{}} t.{task} {tagger} --nbest 2", f"hinge evaluate {{}} t.{task} {refs} {tagger}", "hinge inspect {}", "hinge inspect {} --verify --top 3",
                f"hinge train {task} t.{task} {options} --init {{}} --epochs 1 -q -o x.model"], damaged_sections))
    files.append(("t.cache", ["hinge predict rerank.model {}", "hinge train rerank {} --refs t.ref --epochs 2 -q -o x.model",
                              "hinge cache {} t.rerank --merge -o x.cache"], damaged_sections))
    for name, options in CACHES.items():
        task = name.split("-")[0]
        # By its whole name, which the cache remembers.
        command = f"hinge train {task} {os.path.join(campaign.data, 't.' + task)} {options} --epochs 2 -q -o x.model --cache "
        must(f"{command} {name}.blocks")
        files += [(f"{name}.blocks", [command + "{}", "hinge inspect {} --verify"], damaged_cache)] * 2
    must("hinge inspect rerank.model --weights > weights.txt")
    for task, variants in CHECKPOINTS.items():
        refs = {"rerank": "--refs t.ref", "dep": SMALL, "const": TREES, "coref": "-p hash_bits=8"}.get(task, "")
        for learner in variants:
            name = f"{task}-{learner.replace(' -p ', '-').replace(' --', '-').replace(' ', '-').replace('=', '')}.ckpt"
            must(f"hinge train {task} t.{task} {refs} --learner {learner} --epochs 2 -q -o x.model --checkpoint {name}")
            command = "hinge train --resume {} --epochs 3 -q -o x.model --checkpoint x.ckpt"
            files += [(name, [command], damaged_checkpoint)] * 2
    for name, commands in {
            "t.tag": ["train tag {} --epochs 2 -q -o x.model", "predict tag.model {}", "evaluate tag.model {}",
                      "evaluate tag --system {}", "predict tag.model {} --constrain"],
            "t.tag.gz": ["train tag {} --epochs 1 -q -o x.model", "predict tag.model {}"],
            "t.dep": [f"train dep {{}} --epochs 2 -q -o x.model {SMALL}", "predict dep.model {}", "evaluate dep.model {}",
                      "train tag {} --epochs 1 -q -o x.model"],
            "t.coref": ["train coref {} --epochs 1 -q -o x.model -p hash_bits=8", "predict coref.model {}", "predict coref.model {} --html", "evaluate corefgold.model {}",
                        "evaluate coref --gold t.coref --system {}"],
            "t.summarize": ["train summarize {} --epochs 1 -q -o x.model -p words=20", "predict summarize.model {}", "evaluate summarize.model {}"],
            "t.const": [f"train const {{}} --epochs 1 -q -o x.model {TREES}", "predict const.model {}", "evaluate const.model {}",
                        "predict constnone.model {} --constrain", "predict consttags.model {} --tagger xpos.model",
                        "evaluate const --gold t.const --system {}", "train tag {} --column xpos --epochs 1 -q -o x.model"],
            "t.classify": ["train classify {} --epochs 1 -q -o x.model", "predict classify.model {}"],
            "t.rerank": ["train rerank {} --refs t.ref --epochs 2 -q -o x.model", "predict rerank.model {}", "cache {} -o x.cache"],
            "t.rerank.gz": ["predict rerank.model {}"], "t.ref": ["train rerank t.rerank --refs {} --epochs 1 -q -o x.model"],
            "c.toml": ["train tag t.tag --config {} -q -o x.model --time-budget 5"],
            "chunk.txt": ["train tag t.tag --features {} --epochs 1 -q -o x.model"],
            "dep.txt": [f"train dep t.dep --features {{}} {SMALL} --epochs 1 -q -o x.model"],
            "clusters.txt": ["train tag t.tag --features ner -p clusters={} --epochs 1 -q -o x.model"],
            "costs.txt": ["train tag t.tag -p costs={} --epochs 1 -q -o x.model"],
            "weights.txt": ["train rerank t.rerank --refs t.ref --init {} --epochs 1 -q -o x.model"]}.items():
        files += [(name, ["hinge " + c for c in commands], damaged_text)] * 3
    return files


class Damage:
    def __init__(self, campaign):
        self.campaign = campaign
        self.answers = {}
        self.lock = threading.Lock()

    def answer(self, command, name):
        """What the sound file gives."""
        line = command.format(name)
        with self.lock:
            known = self.answers.get(line)
        if known is None:
            known = self.run(line, self.campaign.path("sound" + str(threading.get_ident())))
            with self.lock:
                self.answers[line] = known
        if known.status == 1 and known.complaints():
            raise Skip  # not for this model, such as --nbest
        return known

    def run(self, line, folder):
        os.makedirs(folder, exist_ok=True)
        for file in os.listdir(self.campaign.data):
            if not file.startswith("x.") and not os.path.lexists(os.path.join(folder, file)):
                os.symlink(os.path.join(self.campaign.data, file), os.path.join(folder, file))
        return self.campaign.shell(MEMORY + "exec " + line, folder)

    def case(self, name, commands, spoil):
        def case(rng, folder):
            command = rng.choice(commands)
            sound = self.answer(command, name)
            data = contents(os.path.join(self.campaign.data, name))
            checked = spoil is not damaged_text
            repaired = not checked or (HASH is not None and rng.random() < 0.85)
            broken = spoil(rng, data) if repaired else damaged(rng, data)
            write(os.path.join(folder, name), broken)
            line = command.format(name)
            result = self.run(line, folder)
            note = ", its checksums right" if checked and repaired else ""
            line += f" [{name} damaged by {getattr(spoil, '__name__')}{note}]"
            if result.breach():
                return [f"{line}: {result.breach()}"]
            if "out of memory" in result.err:
                return [f"{line}: asks for more than 2 GB: {result.tail()}"]
            if result.status == 1 and len(result.complaints()) != 1:
                return [f"{line}: {len(result.complaints())} error lines instead of one: {result.tail()}"]
            if not repaired and result.status == 0 and result.out != sound.out:
                return [f"{line}: is accepted and answers otherwise than the sound file"]
            return []
        return case


def main():
    campaign = Campaign("damage", __doc__)
    files = prepare(campaign)
    if HASH is None:
        print("neither the module xxhash nor libxxhash.so.0: damage with right checksums is skipped")
    damage = Damage(campaign)
    campaign.run([damage.case(*file) for file in files], endless=True)


main()
