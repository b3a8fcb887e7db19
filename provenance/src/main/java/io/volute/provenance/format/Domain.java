package io.volute.provenance.format;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/**
 * What a hash or a signature is for: a name in front of the bytes, so that what was made for one
 * use can never serve as another. Thread-safe.
 */
public enum Domain {
    KEY("key"),
    CHAIN("chain"),
    ENTRY("entry"),
    LINK("link"),
    DIMENSION("dimension"),
    COMBINED("combined"),
    LEAF("leaf"),
    NODE("node"),
    PARTS("parts"),
    METADATA("metadata"),
    TAGS("tags"),
    LOCK("lock"),
    ACL("acl"),
    ATTRIBUTES("attributes"),
    COMMITMENT("commitment"),
    SLOT("slot"),
    KEY_RECORD("key-record"),
    FIRST_KEYS("first-keys"),
    MAP_LEAF("map-leaf"),
    MAP_BRANCH("map-branch"),
    CHECKPOINT("checkpoint"),
    AUDITORS("auditors"),
    SHARED_TREE("shared-tree"),
    MASTER_KEY("master-key"),
    STATEMENT_SIGNATURE("statement-signature"),
    BATCH_SIGNATURE("batch-signature"),
    KEY_RECORD_SIGNATURE("key-record-signature"),
    CHECKPOINT_SIGNATURE("checkpoint-signature"),
    WITNESS_SIGNATURE("witness-signature"),
    LOG_SEAL_SIGNATURE("log-seal-signature");

    private final byte[] prefix;

    /** Has taken in the prefix, and nothing else ever. */
    private final MessageDigest begun;

    Domain(String name) {
        prefix = prefix(name);
        begun = Hash.sha256();
        begun.update(prefix);
    }

    /** {@code "volute/1/" | name | 0x00}. */
    public static byte[] prefix(String name) {
        return ("volute/1/" + name + "\0").getBytes(StandardCharsets.US_ASCII);
    }

    public Hash hash(byte[] bytes) {
        return Hash.owned(Hash.copy(begun).digest(bytes));
    }

    public Hash hash(Bytes bytes) {
        return hash(bytes.array());
    }

    public Hash hash(Hash first, Hash second) {
        MessageDigest digest = Hash.copy(begun);
        digest.update(first.array());
        return Hash.owned(digest.digest(second.array()));
    }

    public Hash hash(Hash only) {
        return hash(only.array());
    }

    /** Returns the signed message for this use: the prefix of the domain, then the bytes. */
    public byte[] message(Bytes bytes) {
        byte[] message = new byte[prefix.length + bytes.length()];
        System.arraycopy(prefix, 0, message, 0, prefix.length);
        System.arraycopy(bytes.array(), 0, message, prefix.length, bytes.length());
        return message;
    }
}
