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

    public record Entries(List<Entry> entries, Optional<String> next) {}

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
            String kind,
            Instant time,
            long commitSequence,
            String versionId,
            Field principal,
            List<Detail> details,
            Optional<String> content,
            Optional<Source> source,
            Optional<Attestation> attestation,
            List<Signer> signers,
            String chainId,
            String link) {
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
            String form, Optional<Boolean> read, Optional<String> text, Optional<String> hex) {}

    /** A named field of an entry; otherwise as {@link Field}. */
    public record Detail(
            String name,
            String form,
            Optional<Boolean> read,
            Optional<String> text,
            Optional<String> hex) {
        public Field field() {
            return new Field(form, read, text, hex);
        }
    }

    /** The head of another chain. */
    public record Source(String chainId, long sequence, String link) {}

    /** The word of someone else about the content. */
    public record Attestation(String by, Signer signer, Instant time) {}

    /** A key that signs. */
    public record Signer(String algorithm, String keyId) {}

    /**
     * Asks for an export of chains, or for the openings of its withheld fields.
     *
     * @param withhold names of fields, separated by commas
     * @param summary whether to leave out the entries that nothing needs
     * @param keep kinds of entries that a summary has all the same, separated by commas
     * @param checkpoint the number of the one that a summary is compared with
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
            @Described("Without it, the cube of the bucket, or the system cube")
                    Optional<String> cube) {}

    /**
     * The keys that sign, in the order of their records.
     *
     * @param records in the list, at least one for a key
     */
    public record Keys(String storeId, Signer rootKey, long records, List<Key> keys) {}

    /**
     * A key and its time.
     *
     * @param validFrom the first commit sequence
     * @param validUntil the first commit sequence at which it is not valid; empty while it is
     */
    public record Key(
            String algorithm,
            String keyId,
            String role,
            String owner,
            long validFrom,
            OptionalLong validUntil) {}

    /**
     * Registers a principal's own key, or ends it.
     *
     * @param publicKey in Base64
     */
    public record PrincipalRequest(
            Optional<String> principal, String algorithm, String publicKey, boolean end) {}
}
