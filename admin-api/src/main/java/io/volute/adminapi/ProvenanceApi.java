package io.volute.adminapi;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Signed history: entries, keys, and what exports take. Hashes and ids are in hexadecimal. */
public final class ProvenanceApi {
    private ProvenanceApi() {}

    /** Asks for the entries of a key, the oldest first. */
    public record EntriesRequest(
            String bucket,
            @Described("1 to 1024 bytes of UTF-8") String key,
            @Described(value = "Entries of a page", min = 1, max = 1000, byDefault = "1000")
                    OptionalLong max,
            @Described("The field next of the page before") Optional<String> from) {}

    public record Entries(
            List<Entry> entries,
            @Described("Start of the next page; missing on the last one") Optional<String> next) {}

    /**
     * An entry, as far as it can be read.
     *
     * @param bucket empty in answers of a server, whose requests name one key
     * @param key as the bucket
     * @param content the hash of the object's bytes
     * @param source what was copied
     * @param link the signed link of the chain behind the entry
     */
    public record Entry(
            Optional<String> bucket,
            Optional<String> key,
            long sequence,
            @Described(schema = "EventKind") String kind,
            Instant time,
            long commitSequence,
            @Described("Version id that S3 clients see; empty for none") String versionId,
            Field principal,
            List<Detail> details,
            @Described(schema = "Hash") Optional<String> content,
            @Described("The head of the chain that a copy or restore goes on from")
                    Optional<Source> source,
            @Described("The principal's own signature") Optional<Attestation> attestation,
            List<Signer> signers,
            @Described(schema = "Hash") String chainId,
            @Described(schema = "Hash") String link) {
        /** Returns the entry with the names of its chain. */
        public Entry of(String bucketName, String keyName) {
            return new Entry(
                    Optional.of(bucketName),
                    Optional.of(keyName),
                    sequence,
                    kind,
                    time,
                    commitSequence,
                    versionId,
                    principal,
                    details,
                    content,
                    source,
                    attestation,
                    signers,
                    chainId,
                    link);
        }
    }

    /**
     * A field of an entry.
     *
     * @param form {@code plain}, {@code encrypted}, {@code committed} or {@code withheld}
     * @param read whether it was read although it is not plain; empty for no
     * @param text empty when the bytes are no text, or cannot be read
     * @param hex the bytes that are no text, or stand for the field
     */
    public record Field(
            @Described(oneOf = {"absent", "plain", "encrypted", "commitment"}) String form,
            @Described(
                            "True if text or hex is the content, not the commitment or"
                                    + " the ciphertext")
                    Optional<Boolean> read,
            @Described("Readable text") Optional<String> text,
            @Described("Bytes that are no readable text") Optional<String> hex) {}

    /** A named field of an entry; otherwise as {@link Field}. */
    public record Detail(
            String name,
            @Described(oneOf = {"absent", "plain", "encrypted", "commitment"}) String form,
            @Described(
                            "True if text or hex is the content, not the commitment or"
                                    + " the ciphertext")
                    Optional<Boolean> read,
            @Described("Readable text") Optional<String> text,
            @Described("Bytes that are no readable text") Optional<String> hex) {
        public Field field() {
            return new Field(form, read, text, hex);
        }
    }

    /** The head of another chain. */
    public record Source(
            @Described(schema = "Hash") String chainId,
            long sequence,
            @Described(schema = "Hash") String link) {}

    /** The word of someone else about the content. */
    public record Attestation(
            @Described(oneOf = {"client", "store"}) String by, Signer signer, Instant time) {}

    /** A key that signs. */
    public record Signer(
            @Described(schema = "SignatureAlgorithm") String algorithm,
            @Described(schema = "Hash") String keyId) {}

    /**
     * Asks for an export of chains, or for the openings of its withheld fields.
     *
     * @param withhold names of fields, separated by commas
     * @param summary whether to leave out the entries that nothing needs
     * @param keep kinds of entries that a summary has all the same, separated by commas
     * @param checkpoint the number of the one that a summary is compared with
     * @param sinceCheckpoint the number of the one since which the chains changed
     * @param cube the cube whose chains are exported; empty for that of the bucket
     */
    public record ExportRequest(
            @Described("Without it, all buckets") Optional<String> bucket,
            @Described("Prefix of the keys of the bucket") Optional<String> prefix,
            @Described("One key of the bucket") Optional<String> key,
            @Described(
                            "Committed fields without their texts (principal, access-key, actor,"
                                    + " metadata), and key-slots; separated by commas")
                    Optional<String> withhold,
            @Described(
                            value =
                                    "Leaves entries out of chains of construction 2 that the proof"
                                            + " of order does not need",
                            byDefault = "false")
                    Optional<Boolean> summary,
            @Described("In summaries: kinds of entries that all stay, separated by commas")
                    Optional<String> keep,
            @Described(
                            value =
                                    "In summaries: number of the checkpoint for the comparison;"
                                            + " without it, the newest",
                            min = 0)
                    OptionalLong checkpoint,
            @Described(value = "Only chains that have changed since this checkpoint", min = 0)
                    OptionalLong sinceCheckpoint,
            @Described("Without it, the cube of the bucket, or the system cube")
                    Optional<String> cube) {}

    /**
     * The keys that sign, in the order of their records.
     *
     * @param records in the list, at least one for a key
     */
    public record Keys(
            @Described("16 bytes in hex") String storeId,
            Signer rootKey,
            long records,
            List<Key> keys) {}

    /**
     * A key and its time.
     *
     * @param validFrom the first commit sequence
     * @param validUntil the first commit sequence at which it is not valid; empty while it is
     */
    public record Key(
            @Described(schema = "SignatureAlgorithm") String algorithm,
            @Described(schema = "Hash") String keyId,
            @Described(oneOf = {"store", "principal", "witness", "auditor"}) String role,
            @Described("Empty for the store") String owner,
            @Described("A commit sequence") long validFrom,
            @Described("The first commit sequence at which it is not; missing: open")
                    OptionalLong validUntil) {}

    /**
     * Registers a principal's own key, or ends it.
     *
     * @param publicKey in Base64
     */
    public record PrincipalRequest(
            @Described("The account") String principal,
            @Described(oneOf = {"ed25519", "ml-dsa-65"}) String algorithm,
            @Described("32 or 1,952 bytes in Base64") String publicKey,
            @Described("True to end the key") boolean end) {}
}
