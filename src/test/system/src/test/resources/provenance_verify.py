"""A verifier of provenance, written from docs/format/provenance.md and the standards that it names alone.

    provenance_verify.py --golden DIRECTORY
    provenance_verify.py [--accept-summaries] EXPORT KEYS ROOT_KEY_ID [CHECKPOINT HEADS]
    provenance_verify.py --heads FILE
    provenance_verify.py --co-signature FILE CHECKPOINT PUBLIC_KEY_PEM

Needs nothing but Python. Prints findings; exits with 1 when there are any. Where summaries are
accepted, it prints how many entries they leave out. An export is compared with a checkpoint when
that and its file of all heads are given. Of a file of all heads alone it prints their number and
the root of the map.
"""

import base64
import hashlib
import json
import os
import sys

ED25519, ML_DSA_65, X25519 = 1, 2, 3
KEY_BYTES = {ED25519: 32, ML_DSA_65: 1952, X25519: 32}
SIGNATURE_BYTES = {ED25519: 64, ML_DSA_65: 3309}
STORE, PRINCIPAL, WITNESS, AUDITOR = 1, 2, 3, 4
ZERO = bytes(32)


class Refused(Exception):
    pass


def tagged(name, data):
    return b"volute/1/" + name.encode() + b"\0" + data


def H(name, data):
    return hashlib.sha256(tagged(name, data)).digest()


# ---- Ed25519 (RFC 8032)

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_1 = pow(2, (P - 1) // 4, P)


def point_add(a, b):
    x = (a[1] - a[0]) * (b[1] - b[0]) % P
    y = (a[1] + a[0]) * (b[1] + b[0]) % P
    t = 2 * a[3] * b[3] * D % P
    z = 2 * a[2] * b[2] % P
    e, f, g, h = y - x, z - t, z + t, y + x
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def point_times(scalar, point):
    result = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            result = point_add(result, point)
        point = point_add(point, point)
        scalar >>= 1
    return result


def point_decode(data):
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    if square == 0:
        return None if sign else (0, y, 1, 0)
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT_OF_MINUS_1 % P
    if (x * x - square) % P:
        return None
    if x & 1 != sign:
        x = P - x
    return (x, y, 1, x * y % P)


BASE = point_decode((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


prime_order = {}


def is_of_prime_order(data):
    """Whether it encodes a point of order L; keys come again and again."""
    if data not in prime_order:
        point = point_decode(data)
        x, y, z, _ = point_times(L, point) if point else (1, 1, 1, 0)
        is_neutral = x % P == 0 and (y - z) % P == 0
        prime_order[data] = is_neutral and data != (1).to_bytes(32, "little")
    return prime_order[data]


def ed25519_verifies(key, message, signature):
    a, r = point_decode(key), point_decode(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= L:
        return False
    if not is_of_prime_order(key) or not is_of_prime_order(signature[:32]):
        return False
    digest = hashlib.sha512(signature[:32] + key + message).digest()
    left = point_times(s, BASE)
    right = point_add(r, point_times(int.from_bytes(digest, "little") % L, a))
    return (left[0] * right[2] - right[0] * left[2]) % P == 0 and (
        left[1] * right[2] - right[1] * left[2]
    ) % P == 0


# ---- ML-DSA-65 (FIPS 204)

Q, DROPPED, TAU, GAMMA_1, GAMMA_2 = 8380417, 13, 49, 1 << 19, (8380417 - 1) // 32
ROWS, COLUMNS, BETA, OMEGA, CHALLENGE_BYTES = 6, 5, 196, 55, 48
ZETAS = [pow(1753, int(f"{i:08b}"[::-1], 2), Q) for i in range(256)]


def ntt(poly):
    w, m, size = list(poly), 0, 128
    while size:
        for start in range(0, 256, 2 * size):
            m += 1
            for j in range(start, start + size):
                t = ZETAS[m] * w[j + size] % Q
                w[j + size] = (w[j] - t) % Q
                w[j] = (w[j] + t) % Q
        size >>= 1
    return w


def inverse_ntt(poly):
    w, m, size = list(poly), 256, 1
    while size < 256:
        for start in range(0, 256, 2 * size):
            m -= 1
            for j in range(start, start + size):
                t = w[j]
                w[j] = (t + w[j + size]) % Q
                w[j + size] = -ZETAS[m] * (t - w[j + size]) % Q
        size <<= 1
    return [x * 8347681 % Q for x in w]


def unpack(data, bits):
    number, mask = int.from_bytes(data, "little"), (1 << bits) - 1
    return [number >> bits * i & mask for i in range(len(data) * 8 // bits)]


def uniform(seed):
    size = 1024
    while True:
        stream = hashlib.shake_128(seed).digest(size)
        values = [
            stream[i] | stream[i + 1] << 8 | (stream[i + 2] & 0x7F) << 16
            for i in range(0, size - 2, 3)
        ]
        values = [x for x in values if x < Q]
        if len(values) >= 256:
            return values[:256]
        size *= 2


def in_ball(seed):
    stream = hashlib.shake_256(seed).digest(4096)
    signs, at = int.from_bytes(stream[:8], "little"), 8
    c = [0] * 256
    for i in range(256 - TAU, 256):
        while stream[at] > i:
            at += 1
        j, at = stream[at], at + 1
        c[i] = c[j]
        c[j] = -1 if signs >> (i + TAU - 256) & 1 else 1
    return c


def hints(data):
    h, index = [[0] * 256 for _ in range(ROWS)], 0
    for row in range(ROWS):
        end = data[OMEGA + row]
        if end < index or end > OMEGA:
            return None
        first = index
        while index < end:
            if index > first and data[index - 1] >= data[index]:
                return None
            h[row][data[index]] = 1
            index += 1
    return None if any(data[index:OMEGA]) else h


def use_hint(hint, r):
    r0 = r % (2 * GAMMA_2)
    if r0 > GAMMA_2:
        r0 -= 2 * GAMMA_2
    if r - r0 == Q - 1:
        r1, r0 = 0, r0 - 1
    else:
        r1 = (r - r0) // (2 * GAMMA_2)
    return r1 if not hint else (r1 + 1) % 16 if r0 > 0 else (r1 - 1) % 16


def ml_dsa_verifies(key, message, signature):
    rho = key[:32]
    t1 = [unpack(key[32 + 320 * i : 352 + 320 * i], 10) for i in range(ROWS)]
    challenge = signature[:CHALLENGE_BYTES]
    packed = signature[CHALLENGE_BYTES : CHALLENGE_BYTES + 640 * COLUMNS]
    z = [
        [GAMMA_1 - x for x in unpack(packed[640 * i : 640 * i + 640], 20)] for i in range(COLUMNS)
    ]
    h = hints(signature[CHALLENGE_BYTES + 640 * COLUMNS :])
    if h is None or any(abs(x) >= GAMMA_1 - BETA for poly in z for x in poly):
        return False
    tr = hashlib.shake_256(key).digest(64)
    mu = hashlib.shake_256(tr + b"\0\0" + message).digest(64)
    c, z = ntt(in_ball(challenge)), [ntt(poly) for poly in z]
    packed = 0
    for row in range(ROWS):
        t = ntt([x << DROPPED for x in t1[row]])
        w = [-c[i] * t[i] for i in range(256)]
        for column in range(COLUMNS):
            a = uniform(rho + bytes([column, row]))
            w = [w[i] + a[i] * z[column][i] for i in range(256)]
        w = inverse_ntt([x % Q for x in w])
        for i in range(256):
            packed |= use_hint(h[row][i], w[i]) << 4 * (256 * row + i)
    w1 = packed.to_bytes(128 * ROWS, "little")
    return hashlib.shake_256(mu + w1).digest(CHALLENGE_BYTES) == challenge


verified = {}


def verifies(algorithm, key, name, data, signature):
    question = (algorithm, key, name, data, signature)
    if question not in verified:
        check = ed25519_verifies if algorithm == ED25519 else ml_dsa_verifies
        verified[question] = check(key, tagged(name, data), signature)
    return verified[question]


# ---- encodings


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def raw(self, count):
        if self.at + count > len(self.data):
            raise Refused("cut off")
        self.at += count
        return self.data[self.at - count : self.at]

    def u8(self, low=0, high=255):
        value = self.raw(1)[0]
        if not low <= value <= high:
            raise Refused(f"{value} is not {low} to {high}")
        return value

    def u16(self):
        return int.from_bytes(self.raw(2), "big")

    def u32(self):
        return int.from_bytes(self.raw(4), "big")

    def u64(self):
        value = int.from_bytes(self.raw(8), "big")
        if value >> 63:
            raise Refused("a u64 beyond 2^63")
        return value

    def bytes16(self, low=0, high=65535):
        return self.limited(self.u16(), low, high)

    def bytes32(self, low=0, high=65536):
        return self.limited(self.u32(), low, high)

    def limited(self, count, low, high):
        if not low <= count <= high:
            raise Refused(f"{count} bytes, not {low} to {high}")
        return self.raw(count)

    def text(self, low, high):
        data = self.bytes16(low, high)
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            raise Refused("not UTF-8") from None
        return data

    def hashes(self, high):
        return [self.raw(32) for _ in range(self.u8(0, high))]

    def signer(self):
        algorithm = self.u8(1, 2)
        return (algorithm, self.raw(32))

    def signers(self):
        signers = [self.signer() for _ in range(self.u8(1, 4))]
        ascending(signers)
        return signers

    def signed(self):
        pairs = []
        for _ in range(self.u8(0, 16)):
            signer = self.signer()
            size = SIGNATURE_BYTES[signer[0]]
            pairs.append((signer, self.bytes16(size, size)))
        ascending([signer for signer, _ in pairs])
        return dict(pairs)

    def end(self):
        if self.at != len(self.data):
            raise Refused("bytes left over")


def ascending(values):
    if any(a >= b for a, b in zip(values, values[1:])):
        raise Refused("out of order")


class Identity:
    def __init__(self, data):
        r = Reader(data)
        r.u8(1, 1)
        self.store = r.raw(16)
        self.bucket_id = r.u64()
        self.bucket = r.text(1, 255)
        self.key = r.bytes16(1, 1024)
        r.end()
        self.chain = H("chain", data)

    def is_of_store(self):
        own = [b":store", ":store"]
        return self.bucket_id == 0 and self.bucket in own and self.key == b"provenance"


def read_field(r):
    form, value = r.u8(0, 3), r.bytes32()
    if form == 0 and value or form == 2 and len(value) < 16 or form == 3 and len(value) != 32:
        raise Refused("the value does not fit its form")
    return (form, value)


class Entry:
    def __init__(self, data):
        if len(data) > 65536:
            raise Refused("an entry beyond 65,536 bytes")
        r = Reader(data)
        r.u8(1, 1)
        r.u8(1, 1)
        self.construction, self.R = r.u8(1, 2), r.u8(0, 16)
        self.chain, self.sequence, self.kind = r.raw(32), r.u64(), r.u8(1, 12)
        self.commit, self.time, previous = r.u64(), r.u64(), r.u64()
        if previous > self.sequence:
            raise Refused("the previous of the kind does not come before")
        self.previous = previous - 1
        r.bytes16(0, 64)
        has = r.u8(0, 1)
        self.content = bytes([has]) + (r.raw(32) if has else b"")
        self.principal = read_field(r)
        details = [(r.text(1, 64), read_field(r)) for _ in range(r.u8(0, 64))]
        ascending([name for name, _ in details])
        self.details = dict(details)
        self.fields = [self.principal] + [field for _, field in details]
        self.signers = r.signers()
        self.attestation = None
        if r.u8(0, 2):
            signer, time, nonce = r.signer(), r.raw(8), r.raw(16)
            if time[0] >> 7:
                raise Refused("a u64 beyond 2^63")
            size = SIGNATURE_BYTES[signer[0]]
            self.attestation = (signer, time, nonce, r.bytes16(size, size))
        has_source = r.u8(0, 1)
        self.source = (r.raw(32), r.u64(), r.raw(32)) if has_source else None
        if self.kind == 7 and not has_source or has_source and self.kind not in (7, 8):
            raise Refused("a source that should not be, or the reverse")
        self.slots = r.hashes(255)
        r.end()
        self.hash = H("entry", data)
        self.shape = (self.construction, self.R)

    def predecessor(self, d):
        """The predecessor in a dimension, -1 when that is not present."""
        return self.previous if d == self.R + 1 else max(self.sequence - (1 << d), -1)

    def dimensions(self):
        return range(self.R + 2)

    def present(self):
        return [d for d in self.dimensions() if self.predecessor(d) >= 0]


class Record:
    def __init__(self, data):
        r = Reader(data)
        self.entry = Entry(r.bytes32())
        self.links = r.hashes(18)
        self.index, self.leaves = r.u32(), r.u32()
        if not 1 <= self.leaves <= 1 << 20 or self.index >= self.leaves:
            raise Refused("no such leaf")
        self.path = r.hashes(20)
        self.openings = [(r.u8(), r.raw(32), r.bytes32()) for _ in range(r.u8(0, 65))]
        ascending([each[0] for each in self.openings])
        self.slots = [(r.u8(), r.bytes16(0, 1024)) for _ in range(r.u8())]
        ascending([each[0] for each in self.slots])
        r.end()

    def link(self):
        joined = bytes([len(self.links)]) + b"".join(self.links)
        if self.entry.construction == 1:
            return H("link", self.entry.hash + joined)
        return H("combined", joined)


def path_root(link, index, leaves, path):
    """RFC 9162, 2.1.3.2; None when the path does not fit."""
    last, node = leaves - 1, H("leaf", link)
    for sibling in path:
        if last == 0:
            return None
        if index & 1 or index == last:
            node = H("node", sibling + node)
            while not index & 1 and index:
                index, last = index >> 1, last >> 1
        else:
            node = H("node", node + sibling)
        index, last = index >> 1, last >> 1
    return node if last == 0 else None


class Batch:
    def __init__(self, data):
        r = Reader(data)
        r.u8(1, 1)
        r.u8(1, 1)
        self.store, self.leaves = r.raw(16), r.u32()
        if not 1 <= self.leaves <= 1 << 20:
            raise Refused("a batch of that size")
        self.root = r.raw(32)
        self.body = data[: r.at]
        self.signed = r.signed()
        r.end()


class KeyList:
    """Maps signers to (public key, role, owner, from, until)."""

    def __init__(self, data, root):
        r = Reader(data)
        if r.raw(8) != b"VOLKEYS\x01":
            raise Refused("no key list")
        self.keys, self.hashes, self.last, self.records = {}, [], 0, []
        self.version, self.first = 1, []
        while r.at < len(data):
            self.record(r.bytes32(1, 1 << 17), root)
        if not self.hashes or any(each not in self.keys for each in self.first):
            raise Refused("no keys")

    def record(self, data, root):
        r = Reader(data)
        version = r.u8(1, 2)
        number, previous, store, commit = r.u64(), r.raw(32), r.raw(16), r.u64()
        role, algorithm = r.u8(1, 4), r.u8(1, 3)
        if (role == AUDITOR) != (algorithm == X25519):
            raise Refused("a key of this kind in this role")
        key = r.bytes16(KEY_BYTES[algorithm], KEY_BYTES[algorithm])
        owner, begins, ends = r.text(0, 1024), r.u64(), r.u64()
        at = r.at
        if version == 2 and number == 0:
            self.first = r.signers()
        identity = data[at : r.at]
        body = data[: r.at]
        signed = r.signed()
        r.end()
        signer = (algorithm, H("key", bytes([algorithm]) + key))
        new = (key, role, owner, begins, ends)

        def signs(other, public):
            good = signed.get(other)
            return good and verifies(other[0], public, "key-record-signature", body, good)

        if number != len(self.hashes) or previous != (self.hashes or [ZERO])[-1]:
            raise Refused("a key record out of its place")
        if version < self.version or number < len(self.first) and signer not in self.first:
            raise Refused("a key record of another list")
        self.version = version
        if number == 0:
            self.store = store
            id = (algorithm, H("first-keys", identity)) if len(self.first) > 1 else signer
            if id != root or role != STORE or not signs(signer, key):
                raise Refused("another first key")
        else:
            force = {
                other: grant[0]
                for other, grant in self.keys.items()
                if grant[1] == STORE and grant[3] <= commit < grant[4]
            }
            signers = {other[0] for other, public in force.items() if signs(other, public)}
            needed = {other[0] for other in force} if version > 1 else set()
            vouched = signers and needed <= signers
            if store != self.store or commit < self.last or not vouched:
                raise Refused("a key that nobody signed in")
            old = self.keys.get(signer)
            if old and (old[:4] != new[:4] or ends >= old[4]):
                raise Refused("a key that changed")
            if not old and role in (STORE, WITNESS) and not signs(signer, key):
                raise Refused("a key that did not sign itself")
        self.last = commit
        self.keys[signer] = new
        self.records.append((commit, signer, role, begins, ends))
        self.hashes.append(H("key-record", body))

    def algorithms(self, count, at):
        """Of the store's keys that are valid at a commit, by the first records."""
        grants = {signer: grant for _, signer, *grant in self.records[:count]}
        valid = [s for s, (role, begin, end) in grants.items() if role == STORE and begin <= at < end]
        return {algorithm for algorithm, _ in valid}


def auditors_tree(data):
    """(tree id, public keys by node, (ephemeral key, wrapped key) by node below the root)."""
    r = Reader(data)
    version = r.u8(1, 2)
    height, auditors = r.u8(0, 6), r.u8(1, 64)
    if height != (auditors - 1).bit_length():
        raise Refused("a tree of another height")

    def vacant(node):
        return (node << height + 1 - node.bit_length()) - (1 << height) >= auditors

    nodes = range(1, 2 << height)
    keys = {node: r.raw(32) for node in nodes}
    if any(vacant(node) != (keys[node] == ZERO) for node in nodes):
        raise Refused("a node that is vacant, or should be")
    handovers = {node: (r.raw(32), r.raw(48)) for node in nodes if node > 1 and not vacant(node)}
    r.end()
    id = H("auditors", bytes([height]) + b"".join(keys.values()))
    return (id if version == 1 else H("shared-tree", data)), keys, handovers


def is_slot(data):
    return len(data) == 121 and data[0] == 1


# ---- audit


class Removal:
    """What a summary says of the entries that the store took out before it."""

    def __init__(self, data):
        r = Reader(data)
        r.u8(1, 1)
        self.through, self.links, self.kinds = r.u64(), r.hashes(18), {}
        if not self.links:
            raise Refused("a removal without a link")
        order = []
        for _ in range(r.u8(0, 11)):
            kind, sequence, link = r.u8(1, 12), r.u64(), r.raw(32)
            if sequence > self.through:
                raise Refused("an entry that is not gone")
            order.append(kind)
            self.kinds[kind] = (sequence, link)
        ascending(order)
        r.end()


def decimal(text):
    """The number that 1 to 19 decimal digits are; None for what is none, or beyond 2^63."""
    is_number = 1 <= len(text) <= 19 and text.isdigit() and int(text) < 1 << 63
    return int(text) if is_number else None


class Settings:
    """Settings of provenance over time: (commit behind which they hold, rules, retention)."""

    ALGORITHMS = {b"ed25519", b"ml-dsa-65"}

    def __init__(self):
        self.changes = []

    def add(self, entry):
        def text(name):
            form, value = entry.details.get(name, (0, b""))
            if form != 1:
                raise Refused(f"the setting {name} is missing")
            return value

        def number(name, low, high):
            value = decimal(text(name))
            if value is None or not low <= value <= high:
                raise Refused(f"the setting {name} is no number, or beyond its limits")
            return value

        signatures = text(b"signatures").split(b",")
        if signatures != [b"none"] and not set(signatures) <= self.ALGORITHMS:
            raise Refused("unknown algorithms")
        rules = number(b"rules", 0, (1 << 31) - 1)
        number(b"construction", 1, 2), number(b"dimensions", 0, 16)
        number(b"auditors-needed", 0, (1 << 31) - 1), text(b"encrypt"), text(b"commit")
        retention = number(b"retention", 0, (1 << 63) - 1)
        if b"before" in entry.details:
            text(b"before")
        if b"bucket" in entry.details:
            text(b"bucket"), number(b"bucket-id", 0, (1 << 63) - 1)
            if b"bucket-encrypt" in entry.details:
                text(b"bucket-encrypt"), text(b"bucket-commit")
        self.changes.append((entry.commit, rules, retention))

    def rules_at(self, commit):
        return (self.at(commit) or (0,))[0]

    def at(self, commit):
        """(rules, retention) of a commit; None when that is not known."""
        held = [each[1:] for each in self.changes if each[0] < commit]
        return held[-1] if held else None


class Audit:
    """Linear audit of one chain; findings are (sequence, promise, text)."""

    def __init__(self, identity, keys, head=None, accepts_summaries=False, settings=None):
        self.identity, self.keys, self.head = identity, keys, head
        self.settings, self.checkpoint = settings or Settings(), None
        self.accepts_summaries, self.summarised = accepts_summaries, 0
        self.findings, self.batches, self.nonces = [], {}, set()
        self.links, self.suspect, self.last_of_kind = {}, set(), {}
        self.last, self.commit, self.shape, self.gaps = -1, 0, None, False
        self.first, self.first_of_kind, self.removal = None, {}, None
        self.signed, self.sources, self.trees = {}, [], None
        if identity.store != keys.store:
            self.found(0, "I6", "keys of another store")

    def found(self, sequence, promise, text):
        self.findings.append((sequence, promise, text))

    def batch(self, data):
        try:
            batch = Batch(data)
            self.batches[batch.store, batch.root, batch.leaves] = batch
        except Refused as e:
            self.found(self.last + 1, "I2", f"batch: {e}")

    def record(self, data):
        try:
            record = Record(data)
        except Refused as e:
            self.found(self.last + 1, "I2", f"unreadable: {e}")
            self.last, self.gaps = self.last + 1, True
            return
        entry, before = record.entry, self.last
        if entry.sequence <= before:
            self.found(entry.sequence, "I2", "out of order")
            return
        self.order(entry)
        count = len(self.findings)
        if entry.chain != self.identity.chain:
            self.found(entry.sequence, "I6", "of another chain")
        if (entry.kind == 12) != self.identity.is_of_store():
            self.found(entry.sequence, "I6", "settings belong in the store's own chain, alone")
        elif entry.kind == 12:
            try:
                self.settings.add(entry)
            except Refused as e:
                self.found(entry.sequence, "I2", f"unreadable: {e}")
        self.shape = self.shape or entry.shape
        if entry.shape != self.shape:
            self.found(entry.sequence, "I2", "another shape")
        link = record.link()
        self.signatures(record, link)
        self.attested(record)
        self.disclosed(record)
        self.linked(record, link, before, len(self.findings) == count)
        if len(self.findings) > count:
            self.suspect.add(entry.sequence)
        self.removed(record, len(self.findings) == count)
        if self.head and self.head[0] == entry.sequence and self.head[1] != link:
            self.found(entry.sequence, "I4", "not what the checkpoint has")
        self.last = entry.sequence

    def order(self, entry):
        if entry.sequence > self.last + 1:
            self.gaps = True
            accepted = self.accepts_summaries and entry.construction == 2 and self.last >= 0
            if accepted:
                self.summarised += entry.sequence - self.last - 1
                if self.head and self.last < self.head[0] < entry.sequence:
                    self.found(self.head[0], "I1", "what the checkpoint has is summarised away")
            elif self.last >= 0:
                self.found(self.last + 1, "I1", f"missing before {entry.sequence}")
        at = self.lacked_at(entry)
        is_strict = not self.identity.is_of_store() and self.settings.rules_at(at) >= 4
        if is_strict and entry.commit < at:
            self.found(entry.sequence, "I2", "a checkpoint lacks it, and it claims to be before")
        if entry.commit < self.commit:
            self.found(entry.sequence, "I2", "an earlier commit than its predecessor's")
        self.commit = max(self.commit, entry.commit)
        known = self.last_of_kind.get(entry.kind, -1)
        if entry.previous != known and not (self.gaps and entry.previous > known):
            self.found(entry.sequence, "I1", "skips some of its kind")
        self.last_of_kind[entry.kind] = entry.sequence

    def lacked_at(self, entry):
        """The commit of a checkpoint that lacks an entry; 0 when there is none, or it has it."""
        is_lacked = self.head is None or entry.sequence > self.head[0]
        return self.checkpoint or 0 if is_lacked else 0

    def removed(self, record, is_clean):
        """What is missing at the beginning may have been taken out: a later summary says so."""
        entry = record.entry
        if self.last < 0 and entry.sequence > 0:
            self.first = record
        if not self.first:
            return
        self.first_of_kind.setdefault(entry.kind, record)
        form, said = entry.details.get(b"removed", (0, b""))
        if entry.kind == 10 and form == 1:
            try:
                removal = Removal(said)
            except Refused as e:
                self.found(entry.sequence, "I2", f"unreadable: {e}")
                return
            if is_clean and entry.chain == self.identity.chain:
                refusal = self.not_allowed(entry, removal)
                if refusal:
                    self.found(entry.sequence, "I1", refusal)
                else:
                    self.removal = removal

    def not_allowed(self, entry, removal):
        """Why the store may not have taken these entries out, if its settings are known."""
        if removal.through >= entry.sequence:
            return "says that later entries are gone"
        held = self.settings.at(entry.commit)
        if held is None:
            return None
        rules, retention = held
        if retention == 0:
            return "nothing was to be removed then"
        form, until = entry.details.get(b"until", (0, b""))
        until = decimal(until) if form == 1 else None
        is_old = until is not None and entry.time - until >= retention
        return None if rules < 3 or is_old else "removed too soon"

    def beginning(self):
        gone, removal = self.first.entry.sequence - 1, self.removal
        if removal is None or removal.through < gone:
            self.found(0, "I1", f"0 to {gone} are missing")
            return
        if gone == removal.through and not self.fits(self.first, 0, removal.links[0]):
            self.found(gone, "I4", "the first entry is linked to another one")
        for kind, record in self.first_of_kind.items():
            entry = record.entry
            sequence, link = removal.kinds.get(kind, (-1, ZERO))
            if 0 <= entry.previous <= gone and entry.previous != sequence:
                self.found(entry.sequence, "I1", "names another of its kind than the summary")
            elif 0 <= entry.previous <= gone and not self.fits(record, entry.R + 1, link):
                self.found(gone, "I4", "an entry is linked to another of its kind")
        if self.head and self.head[0] <= removal.through:
            self.found(self.head[0], "I1", "the checkpoint has it, and it was removed")

    @staticmethod
    def fits(record, d, link):
        entry = record.entry
        if entry.construction == 2:
            return d < len(record.links) and record.links[d] == H(
                "dimension", bytes([d]) + entry.hash + link
            )
        places = dict(zip(entry.present(), record.links))
        return places.get(d) == link

    def signatures(self, record, link):
        entry = record.entry
        root = path_root(link, record.index, record.leaves, record.path)
        batch = self.batches.get((self.identity.store, root, record.leaves))
        if batch is None:
            self.found(entry.sequence, "I2", "in no batch")
            return
        for signer in entry.signers:
            key, role, owner, begins, ends = self.keys.keys.get(signer, (None,) * 5)
            if key is None:
                self.found(entry.sequence, "I2", "an unknown key")
                continue
            least = max(entry.commit, self.lacked_at(entry))
            if not begins <= entry.commit <= least < ends:
                self.found(entry.sequence, "I2", "a key that was not valid")
            if role == PRINCIPAL and entry.principal == (1, owner):
                self.found(entry.sequence, "I2", "signed by no key of the store")
            elif role != STORE:
                self.found(entry.sequence, "I3", "signed by somebody else")
            good = batch.signed.get(signer)
            if not good or not verifies(signer[0], key, "batch-signature", batch.body, good):
                self.found(entry.sequence, "I5", "a missing or bad signature")

    def attested(self, record):
        entry = record.entry
        if not entry.attestation:
            return
        signer, time, nonce, signature = entry.attestation
        key, role, owner, begins, ends = self.keys.keys.get(signer, (None,) * 5)
        if key is None or role != PRINCIPAL:
            self.found(entry.sequence, "I3", "attested with an unknown key")
            return
        if not begins <= entry.commit < ends:
            self.found(entry.sequence, "I2", "attested with a key that was not valid")
        opened = {field: text for field, _, text in record.openings}
        plain = entry.principal[1] if entry.principal[0] == 1 else opened.get(0)
        if plain is not None and plain != owner:
            self.found(entry.sequence, "I3", "attested by somebody else")
        bucket, key_name = self.identity.bucket, self.identity.key
        statement = len(bucket).to_bytes(2, "big") + bucket
        statement += len(key_name).to_bytes(2, "big") + key_name
        statement += bytes([entry.kind]) + entry.content + bytes([signer[0]]) + signer[1]
        statement += time + nonce
        if not verifies(signer[0], key, "statement-signature", statement, signature):
            self.found(entry.sequence, "I3", "not what the principal signed")
        if nonce in self.nonces:
            self.found(entry.sequence, "I3", "a statement used twice")
        self.nonces.add(nonce)

    def tree(self, data):
        try:
            self.trees.add(auditors_tree(data)[0])
        except Refused as e:
            self.found(self.last + 1, "C1", str(e))

    def disclosed(self, record):
        entry = record.entry
        for field, r, text in record.openings:
            fixed = entry.fields[field] if field < len(entry.fields) else None
            if fixed != (3, H("commitment", r + text)):
                self.found(entry.sequence, "C2", "not what was committed")
        for index, slot in record.slots:
            if index >= len(entry.slots) or entry.slots[index] != H("slot", slot):
                self.found(entry.sequence, "C1", "another key slot")
            elif self.trees is not None and is_slot(slot) and slot[1:33] not in self.trees:
                self.found(entry.sequence, "C1", "a key slot without its auditors' tree")

    def linked(self, record, link, before, is_clean):
        entry = record.entry
        if entry.construction == 1:
            own, disagreeing = [link], self.previous_links(record)
        else:
            own, disagreeing = record.links, self.own_links(record, before)
        for p in disagreeing or ():
            if p not in self.suspect and is_clean:
                self.found(p, "I4", f"entry {entry.sequence} was linked to another one")
                self.suspect.add(p)
        self.links[entry.sequence] = own
        self.signed[entry.sequence] = link
        if entry.source:
            self.sources.append((entry.sequence, *entry.source))

    def previous_links(self, record):
        entry, present = record.entry, record.entry.present()
        if len(record.links) != len(present):
            self.found(entry.sequence, "I2", "links are incomplete")
            return []
        pairs = [(entry.predecessor(d), link) for d, link in zip(present, record.links)]
        return [p for p, link in pairs if p in self.links and self.links[p][0] != link]

    def own_links(self, record, before):
        entry = record.entry
        if len(record.links) != len(entry.dimensions()):
            self.found(entry.sequence, "I2", "links are incomplete")
            return []
        good, disagreeing, alone = [], [], False
        for d in entry.dimensions():
            p = entry.predecessor(d)
            if p >= 0 and p not in self.links:
                continue
            known = self.links.get(p, []) if p >= 0 else []
            previous = known[d] if d < len(known) else b""
            expected = H("dimension", bytes([d]) + entry.hash + previous)
            if expected == record.links[d]:
                good.append(p)
            elif p >= 0:
                disagreeing.append(p)
            else:
                alone = True
        if alone or disagreeing and not good:
            self.found(entry.sequence, "I2", "links do not follow from it")
            return []
        if 0 <= before < entry.sequence - 1 and before not in good:
            self.found(entry.sequence, "I1", f"nothing links it to {before}")
        return disagreeing

    def finish(self):
        if self.head and self.head[0] > self.last:
            self.found(self.last + 1, "I1", "the checkpoint has more")
        if self.first:
            self.beginning()
        return self.findings


def frames(data):
    """(type, payload) of an export behind its magic."""
    at = 0
    while at < len(data):
        if at + 5 > len(data):
            raise Refused("cut off in a frame")
        kind, size = data[at], int.from_bytes(data[at + 1 : at + 5], "big")
        if size > 1 << 20 or at + 5 + size > len(data) or not 1 <= kind <= 5:
            raise Refused("no frame")
        yield kind, data[at + 5 : at + 5 + size]
        at += 5 + size


def false_sources(chains):
    """Copies and restores whose source is in the export, with another entry or none."""
    places = {audit.identity.chain: number for number, audit in enumerate(chains)}
    for number, audit in enumerate(chains):
        for sequence, chain, at, link in audit.sources:
            place = places.get(chain, -1)
            signed = chains[place].signed if place >= 0 else {}
            is_behind = signed and at > max(signed) and place >= number
            if is_behind or at in signed and signed[at] != link:
                yield (sequence, "I2", "its source is another entry, or none")


def audit_export(
    data, keys, expected=None, heads=None, accepts_summaries=False, checkpoint=None
):
    """Findings of all chains in an export; of one, when that is expected. Then how many entries
    summaries lack, and the names of the rules that could be applied.

    Heads are (sequence, link) by chain id; all those of a checkpoint, when its commit is given.
    """
    findings, summarised, audit, records, trees = [], 0, None, 0, set()
    settings, last, heads, chains, batches = Settings(), None, heads or {}, [], {}
    try:
        for kind, payload in frames(data):
            if (kind == 1) != (audit is None):
                raise Refused("a frame out of its place")
            if kind == 1:
                identity = Identity(payload)
                asked = expected or identity
                if asked.chain != identity.chain:
                    findings.append((0, "I6", "another chain than was asked for"))
                head = heads.get(asked.chain)
                audit, records = Audit(asked, keys, head, accepts_summaries, settings), 0
                audit.checkpoint, audit.trees, audit.batches = checkpoint, trees, batches
                place = (identity.bucket_id, identity.key)
                if last and place <= last:
                    findings.append((0, "I2", "a chain twice, or out of its place"))
                last = place
            elif kind == 2:
                audit.batch(payload)
            elif kind == 3:
                records += 1
                audit.record(payload)
            elif kind == 5:
                audit.tree(payload)
            else:
                if payload != records.to_bytes(8, "big"):
                    findings.append((records, "I1", "another number of records was written"))
                findings += audit.finish()
                summarised += audit.summarised
                chains.append(audit)
                audit = None
        if audit:
            raise Refused("no end")
        findings += [] if expected else false_sources(chains)
    except Refused as e:
        findings.append((records, "I1" if records else "I2", str(e)))
        findings += audit.finish() if audit else []
    rules = ["removals-follow-settings"] if settings.changes else []
    rules += ["trusted-heads-stay"] if heads else []
    if checkpoint is not None:
        rules += ["keys-of-checkpoint"]
        rules += ["nothing-before-checkpoint"] if settings.rules_at(checkpoint) >= 4 else []
        rules += ["algorithms-of-checkpoint"]
    return findings, summarised, rules


# ---- map and checkpoints


def map_leaf(chain, head):
    return H("map-leaf", chain + head)


def bit(chain, index):
    return chain[index >> 3] >> (7 - (index & 7)) & 1


def proof_root(data, chain):
    """(root, head or None) that a proof leads to."""
    r = Reader(data)
    r.u8(1, 1)
    outcome, depth = r.u8(1, 3), r.u16()
    if depth > 256:
        raise Refused("too deep")
    siblings, head, node = [r.raw(32) for _ in range(depth)], None, ZERO
    if outcome == 1:
        head = r.raw(40)
        node = map_leaf(chain, head)
    elif outcome == 3:
        other = r.raw(32)
        if other == chain or any(bit(other, i) != bit(chain, i) for i in range(depth)):
            raise Refused("a proof about something else")
        node = map_leaf(other, r.raw(40))
    r.end()
    for i, sibling in enumerate(siblings):
        pair = sibling + node if bit(chain, depth - 1 - i) else node + sibling
        node = H("map-branch", pair)
    return node, head


def map_root(records, depth=0):
    """Of records of a heads file; those that have the first depth bits of their ids in common."""
    if len(records) <= 1:
        return H("map-leaf", records[0]) if records else ZERO
    halves = [[r for r in records if bit(r, depth) == side] for side in (0, 1)]
    return H("map-branch", map_root(halves[0], depth + 1) + map_root(halves[1], depth + 1))


def heads_file(data):
    """(root, count) of all heads in a file."""
    records = heads_records(data)
    return map_root(records), len(records)


def heads_records(data):
    r = Reader(data)
    if r.raw(9) != b"VOLHEADS\x01":
        raise Refused("no heads file, or of another version")
    count, records = r.u64(), []
    for _ in range(count):
        begin = r.at
        chain = r.raw(32)
        r.u64()
        r.raw(32)
        if records and chain <= records[-1][:32]:
            raise Refused("out of order")
        records.append(data[begin : r.at])
    r.end()
    return records


FIRST = (-1, ZERO, 0)


def check_checkpoint(data, keys, before=FIRST):
    """The witnesses of a checkpoint, and its map; raises when it is not good.

    It must follow the one before, given as (number, hash, commit), when one is.
    """
    r = Reader(data)
    r.u8(1, 1)
    r.u8(1, 1)
    store, number, previous, _, commit = r.raw(16), r.u64(), r.raw(32), r.u64(), r.u64()
    heads_map = (r.raw(32), r.u64())
    records, key_hash = r.u64(), r.raw(32)
    signers = r.signers()
    body = data[: r.at]
    signed, witnesses = r.signed(), r.signed()
    r.end()

    def good(signer, role, name, signature):
        key, has, _, begins, ends = keys.keys.get(signer, (None,) * 5)
        is_valid = key is not None and has == role and begins <= commit < ends
        return is_valid and signature and verifies(signer[0], key, name, body, signature)

    if store != keys.store or not 1 <= records <= len(keys.hashes):
        raise Refused("another store or key list")
    if key_hash != keys.hashes[records - 1]:
        raise Refused("another key list")
    if not all(good(s, STORE, "checkpoint-signature", signed.get(s)) for s in signers):
        raise Refused("not signed")
    if records != sum(1 for made, *_ in keys.records if made < commit):
        raise Refused("not the key list of its commit")
    if keys.algorithms(records, commit) - {algorithm for algorithm, _ in signers}:
        raise Refused("not signed by every algorithm in force")
    if before and ((number, previous) != (before[0] + 1, before[1]) or commit < before[2]):
        raise Refused("does not follow")
    seen = [
        keys.keys[s][2] for s, each in witnesses.items() if good(s, WITNESS, "witness-signature", each)
    ]
    return (number, H("checkpoint", body), commit), heads_map, seen


def check_co_signature(data, checkpoint, key):
    """That the witness with this key (Ed25519) has co-signed this checkpoint; raises when not."""
    r = Reader(checkpoint)
    r.u8(1, 1)
    r.u8(1, 1)
    store, number = r.raw(16), r.u64()
    r.raw(32), r.u64(), r.u64(), r.raw(32), r.u64(), r.u64(), r.raw(32), r.signers()
    body = checkpoint[: r.at]
    r.signed(), r.signed()
    r.end()
    r = Reader(data)
    if r.raw(9) != b"VOLCOSIG\x01":
        raise Refused("no co-signature, or of another version")
    of = (r.raw(16), r.u64(), r.raw(32))
    algorithm = r.u8(1, 2)
    signer = r.raw(32)
    signature = r.bytes16(SIGNATURE_BYTES[algorithm], SIGNATURE_BYTES[algorithm])
    r.end()
    if algorithm != ED25519 or signer != H("key", bytes([ED25519]) + key):
        raise Refused("by another key")
    if of != (store, number, H("checkpoint", body)):
        raise Refused("of another checkpoint")
    if not verifies(ED25519, key, "witness-signature", body, signature):
        raise Refused("forged")
    return number


# ---- golden files


def check_vectors(v, root_key):
    def value(name):
        return bytes.fromhex(v[name])

    def sha(number):
        return hashlib.sha256(bytes([number])).digest()

    def equal(name, found):
        assert found == value(name), name

    equal("hash", H("entry", b"abc"))
    for algorithm, name in ((ED25519, "ed25519"), (ML_DSA_65, "mldsa")):
        key, signature = value(name + "PublicKey"), value(name + "Signature")
        equal(name + "KeyId", H("key", bytes([algorithm]) + key))
        assert verifies(algorithm, key, "batch-signature", b"abc", signature), name
        assert not verifies(algorithm, key, "batch-signature", b"abd", signature), name
        for at in (3, len(signature) // 2, len(signature) - 40):
            bad = signature[:at] + bytes([signature[at] ^ 16]) + signature[at + 1 :]
            assert not verifies(algorithm, key, "batch-signature", b"abc", bad), name
    for each in v["ed25519Refused"]:
        each = bytes.fromhex(each)
        assert not verifies(ED25519, each[:32], "batch-signature", b"abc", each[32:]), each.hex()
    equal("chainId", Identity(value("identity")).chain)
    equal("linkFirst", H("link", sha(0) + b"\0"))
    equal("linkOverTwo", H("link", sha(0) + b"\2" + sha(1) + sha(2)))
    absent, present = H("dimension", b"\2" + sha(0)), H("dimension", b"\2" + sha(0) + sha(1))
    equal("dimensionAbsent", absent)
    equal("dimensionPresent", present)
    equal("combined", H("combined", b"\2" + absent + present))
    equal("commitment", H("commitment", b"r" * 32 + b"secret"))
    equal("slotHash", H("slot", b"slot"))

    def tree(links):
        if len(links) == 1:
            return H("leaf", links[0])
        split = 1 << (len(links) - 1).bit_length() - 1
        return H("node", tree(links[:split]) + tree(links[split:]))

    for leaves, root in enumerate(v["batchRoots"], 1):
        assert tree([sha(i) for i in range(1, leaves + 1)]).hex() == root, leaves

    heads = {sha(i): i.to_bytes(8, "big") + sha(100 + i) for i in range(1, 7)}

    equal("mapRoot", map_root([chain + head for chain, head in heads.items()]))
    for number, proof in enumerate(v["mapProofs"], 1):
        found = proof_root(bytes.fromhex(proof), sha(number))
        assert found == (value("mapRoot"), heads.get(sha(number))), number
    equal("sharedTreeId", auditors_tree(value("sharedTree"))[0])
    equal("sharedTreeVersion1Id", auditors_tree(value("sharedTreeVersion1"))[0])
    KeyList(value("keyListVersion1"), (ED25519, value("keyListVersion1Root")))
    both = (ED25519, value("keyListRoot"))
    assert KeyList(value("keyList"), both).algorithms(2, 1) == {ED25519, ML_DSA_65}
    assert len(v["keyListRefused"]) == 5, "keyListRefused"
    for name, each in v["keyListRefused"].items():
        try:
            KeyList(bytes.fromhex(each), both)
        except Refused:
            continue
        raise AssertionError(name)
    keys = KeyList(value("checkpointKeys"), root_key)
    first, heads_map, seen = check_checkpoint(value("checkpoint"), keys)
    assert first[1] == value("checkpointHash") and not seen
    assert heads_map == (value("mapRoot"), 6)
    _, _, seen = check_checkpoint(value("checkpointNext"), keys, first)
    assert seen == [b"notary"]
    assert len(v["checkpointRefused"]) == 4, "checkpointRefused"
    for name, each in v["checkpointRefused"].items():
        try:
            check_checkpoint(bytes.fromhex(each), keys, None)
        except Refused:
            continue
        raise AssertionError(f"checkpoint, {name}")
    check_co_signatures(v, value("checkpointNext"), value("witnessKey"))
    check_heads_file(value("headsFile"), heads_map)
    assert heads_file(value("headsFileEmpty")) == (ZERO, 0), "headsFileEmpty"


def check_co_signatures(v, checkpoint, key):
    good = bytes.fromhex(v["coSignature"])
    assert check_co_signature(good, checkpoint, key) == 1, "coSignature"
    refused = {name: bytes.fromhex(each) for name, each in v["coSignatureRefused"].items()}
    assert len(refused) == 8, "coSignatureRefused"
    for at in range(len(good)):
        refused[f"byte {at}"] = good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :]
    for name, data in refused.items():
        try:
            check_co_signature(data, checkpoint, key)
        except Refused:
            continue
        raise AssertionError(f"coSignature, {name}")


def check_heads_file(file, expected):
    assert heads_file(file) == expected, "headsFile"
    begin, records = file[:9], [file[at : at + 72] for at in range(17, len(file), 72)]

    def other(count, records):
        return begin + count.to_bytes(8, "big") + b"".join(records)

    assert other(6, records) == file, "headsFile"
    assert heads_file(other(5, records[1:])) != expected, "headsFile without a chain"
    not_canonical = {
        "swapped": other(6, [records[1], records[0]] + records[2:]),
        "twice": other(7, records[:1] + records),
        "too many": other(5, records),
        "too few": other(7, records),
        "cut off": file[:-1],
        "left over": file + b"\0",
        "sequence": other(6, [records[0][:32] + b"\x80" + records[0][33:]] + records[1:]),
        "version": file[:8] + b"\2" + file[9:],
    }
    for name, data in not_canonical.items():
        try:
            heads_file(data)
        except Refused:
            continue
        raise AssertionError(f"headsFile, {name}")


def golden(directory):
    def load(name):
        with open(os.path.join(directory, name), encoding="utf-8") as file:
            return json.load(file)

    chains = load("chains.json")
    root = (chains["keys"]["rootAlgorithm"], bytes.fromhex(chains["keys"]["rootKeyId"]))
    check_vectors(load("vectors.json"), root)
    print("PASS vectors")
    keys = KeyList(bytes.fromhex(chains["keys"]["list"]), root)
    bases = {each["name"]: each for each in chains["chains"]}
    failures = 0
    for case in load("forgeries.json"):
        base = bases[case["base"]]
        data = b"".join(
            bytes.fromhex(base["frames"][frame] if isinstance(frame, int) else frame)
            for frame in case["frames"]
        )
        of = case if "headLink" in case else base
        identity = Identity(bytes.fromhex(case["identity"]))
        head = (of["headSequence"], bytes.fromhex(of["headLink"]))
        findings, _, _ = audit_export(
            data,
            keys,
            None if case.get("isWhole") else identity,
            {identity.chain: head} if case["knowsHead"] else None,
            case["acceptsSummaries"],
            case.get("checkpointCommit"),
        )
        found, expected = {each[1] for each in findings}, set(case["promises"])
        agrees = bool(found & expected) if expected else not found
        failures += not agrees
        print("PASS" if agrees else "FAIL", case["name"], sorted(found), sorted(expected))
        if not agrees:
            print(findings[:5])
    return failures


def heads(name):
    with open(name, "rb") as file:
        data = file.read()
    try:
        root, count = heads_file(data)
    except Refused as e:
        print(f"no canonical file of heads: {e}")
        return 1
    print(f"{count} chains, root {root.hex()}")
    return 0


def co_signature(name, checkpoint, pem):
    with open(pem, encoding="ascii") as file:
        info = base64.b64decode("".join(line for line in file if "-----" not in line))
    with open(name, "rb") as file, open(checkpoint, "rb") as of:
        try:
            print(f"co-signed checkpoint {check_co_signature(file.read(), of.read(), info[-32:])}")
        except Refused as e:
            print(f"not co-signed: {e}")
            return 1
    return 0


def trusted(checkpoint, heads, keys):
    """(all heads, commit) of a checkpoint; raises when they are not its heads."""
    with open(checkpoint, "rb") as file, open(heads, "rb") as of:
        (_, _, commit), heads_map, _ = check_checkpoint(file.read(), keys, None)
        records = heads_records(of.read())
    if heads_map != (map_root(records), len(records)):
        raise Refused("the heads are not the checkpoint's")
    known = {each[:32]: (int.from_bytes(each[32:40], "big"), each[40:]) for each in records}
    return known, commit


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "--golden":
        return 1 if golden(arguments[1]) else 0
    if len(arguments) == 2 and arguments[0] == "--heads":
        return heads(arguments[1])
    if len(arguments) == 4 and arguments[0] == "--co-signature":
        return co_signature(*arguments[1:])
    accepts_summaries = arguments[:1] == ["--accept-summaries"]
    arguments = arguments[accepts_summaries:]
    if len(arguments) not in (3, 5):
        print(__doc__)
        return 2
    export, key_file, root = arguments[:3]
    with open(key_file, "rb") as file:
        keys = KeyList(file.read(), (ED25519, bytes.fromhex(root)))
    with open(export, "rb") as file:
        data = file.read()
    if data[:8] != b"VOLPROV\x01":
        print("no export, or of another version")
        return 1
    known, commit = trusted(*arguments[3:], keys) if arguments[3:] else (None, None)
    findings, summarised, rules = audit_export(
        data[8:], keys, None, known, accepts_summaries, commit
    )
    for sequence, promise, text in findings:
        print(f"entry {sequence}: {promise} broken: {text}")
    print("applied rules of settings and checkpoints:", ", ".join(rules) or "none")
    if accepts_summaries:
        print(f"{summarised} entries summarised away")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
