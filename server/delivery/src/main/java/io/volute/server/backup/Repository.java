package io.volute.server.backup;

import io.volute.adminapi.AdminJson;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.keys.MasterKey;
import io.volute.provenance.keys.PassphraseParameters;
import io.volute.provenance.keys.PrivateFile;
import io.volute.provenance.keys.SealedSecret;
import io.volute.provenance.secrecy.Aead;
import io.volute.server.deposit.BackupTarget;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * The backups of one store in a target:
 *
 * <pre>
 *   backup.volute      format, store, encryption; written once
 *   packs/NAME         bytes of files
 *   snapshots/NAME     a manifest; there is a snapshot exactly if it is there
 *   unfinished/NAME    the manifest of a backup under way, or that was ended before its time
 * </pre>
 *
 * Used by one thread.
 */
public final class Repository {
    static final String HEADER = "backup.volute";
    static final String PACKS = "packs/";
    static final String SNAPSHOTS = "snapshots/";
    static final String UNFINISHED = "unfinished/";

    private static final int FORMAT = 1;
    private static final byte[] MAGIC = "VLTSNAP1".getBytes(StandardCharsets.US_ASCII);
    private static final int LONGEST_MANIFEST_BYTES = 1 << 30;

    /** A manifest with its magic, hash and frame. */
    private static final int MOST_MANIFEST_OBJECT_BYTES = LONGEST_MANIFEST_BYTES + 1024;

    private static final int MOST_HEADER_BYTES = 64 << 10;
    private static final String PURPOSE = "backup key";

    /**
     * The content of the header.
     *
     * @param store identity of the store
     * @param passphrase parameters of the passphrase, in Base64; empty when nothing is encrypted
     * @param key key of the frames, sealed with the passphrase, in Base64
     */
    record Header(
            int format,
            String store,
            Instant created,
            Optional<String> passphrase,
            Optional<String> key) {}

    private final BackupTarget target;
    private final Header header;
    private final FrameCodec codec;

    private Repository(BackupTarget target, Header header, FrameCodec codec) {
        this.target = target;
        this.header = header;
        this.codec = codec;
    }

    /**
     * Opens the backups of a target.
     *
     * @param passphrase empty when there is none; left as it is
     * @throws IOException when there are no backups, or they cannot be opened; the message has the
     *     next step
     */
    public static Repository open(BackupTarget target, Optional<char[]> passphrase)
            throws IOException {
        byte[] json =
                target.get(HEADER, MOST_HEADER_BYTES)
                        .orElseThrow(
                                () ->
                                        new IOException(
                                                "there are no backups in "
                                                        + target.text()
                                                        + ": it has no "
                                                        + HEADER));
        return open(target, AdminJson.read(json, Header.class), passphrase, new SecureRandom());
    }

    private static Repository open(
            BackupTarget target, Header header, Optional<char[]> passphrase, SecureRandom random)
            throws IOException {
        if (header.format() < 1 || header.format() > FORMAT) {
            throw new IOException(
                    target.text()
                            + " has backups of format "
                            + header.format()
                            + ", this release knows formats up to "
                            + FORMAT
                            + ": use the release that made them, or a later one");
        }
        boolean isEncrypted = header.passphrase().isPresent();
        if (isEncrypted != passphrase.isPresent()) {
            throw new IOException(
                    "the backups in "
                            + target.text()
                            + (isEncrypted
                                    ? " are encrypted: name the file of their passphrase with"
                                            + " backup.passphrase-file, or with"
                                            + " --passphrase-file"
                                    : " are not encrypted: leave the passphrase out, or choose"
                                            + " another target"));
        }
        Optional<byte[]> key =
                isEncrypted ? Optional.of(key(target, header, passphrase.get())) : Optional.empty();
        return new Repository(target, header, new FrameCodec(key, random));
    }

    private static byte[] key(BackupTarget target, Header header, char[] passphrase)
            throws IOException {
        try {
            Bytes parameters = Bytes.of(Base64.getDecoder().decode(header.passphrase().get()));
            Bytes sealed = Bytes.of(Base64.getDecoder().decode(header.key().orElse("")));
            MasterKey master =
                    MasterKey.ofPassphrase(passphrase, PassphraseParameters.decode(parameters));
            return SealedSecret.open(PURPOSE, header.store(), sealed, master).toArray();
        } catch (RefusedException | IllegalArgumentException e) {
            throw new IOException(
                    "the backups in " + target.text() + " have another passphrase", e);
        }
    }

    /**
     * Opens the backups of a store, and prepares an empty target for them.
     *
     * @throws IOException when the target has the backups of another store, or something else
     */
    static Repository openOrCreate(
            BackupTarget target,
            String store,
            Optional<char[]> passphrase,
            Instant now,
            SecureRandom random)
            throws IOException {
        Optional<byte[]> json = target.get(HEADER, MOST_HEADER_BYTES);
        if (json.isPresent()) {
            Header header = AdminJson.read(json.get(), Header.class);
            if (!header.store().equals(store)) {
                throw new IOException(
                        target.text()
                                + " has the backups of another store, "
                                + header.store()
                                + ": choose another target");
            }
            return open(target, header, passphrase, random);
        }
        Header header = made(store, passphrase, now, random);
        Repository made = open(target, header, passphrase, random);
        target.put(HEADER, AdminJson.write(header));
        return made;
    }

    private static Header made(
            String store, Optional<char[]> passphrase, Instant now, SecureRandom random) {
        if (passphrase.isEmpty()) {
            return new Header(FORMAT, store, now, Optional.empty(), Optional.empty());
        }
        PassphraseParameters parameters = PassphraseParameters.generate(random);
        byte[] key = new byte[Aead.KEY_BYTES];
        random.nextBytes(key);
        Bytes sealed =
                SealedSecret.seal(
                        PURPOSE,
                        store,
                        Bytes.of(key),
                        MasterKey.ofPassphrase(passphrase.get(), parameters),
                        random);
        Base64.Encoder text = Base64.getEncoder();
        return new Header(
                FORMAT,
                store,
                now,
                Optional.of(text.encodeToString(parameters.encode().toArray())),
                Optional.of(text.encodeToString(sealed.toArray())));
    }

    /**
     * Reads a passphrase: the first line of a private file.
     *
     * @throws IOException when others may read the file, or the line is empty
     */
    public static char[] passphrase(Path file) throws IOException {
        String text = new PrivateFile("the passphrase file", file).read();
        return text.lines()
                .findFirst()
                .filter(line -> !line.isEmpty())
                .orElseThrow(
                        () -> new IOException("the first line of " + file + " has no passphrase"))
                .toCharArray();
    }

    /** Returns whether frames are encrypted. */
    public boolean isEncrypted() {
        return header.passphrase().isPresent();
    }

    BackupTarget target() {
        return target;
    }

    FrameCodec codec() {
        return codec;
    }

    /** Returns the names of the snapshots, the oldest first. */
    public List<String> snapshots() throws IOException {
        return names(target, SNAPSHOTS);
    }

    /** Returns the names of the snapshots of a target, the oldest first. */
    public static List<String> snapshots(BackupTarget target) throws IOException {
        return names(target, SNAPSHOTS);
    }

    List<String> unfinished() throws IOException {
        return names(target, UNFINISHED);
    }

    private static List<String> names(BackupTarget target, String prefix) throws IOException {
        List<String> names = new ArrayList<>();
        target.list(prefix).forEach(name -> names.add(name.substring(prefix.length())));
        return names;
    }

    /**
     * Returns the manifest of a snapshot.
     *
     * @throws IOException when there is none, or it is damaged
     */
    public Manifest snapshot(String name) throws IOException {
        return manifest(SNAPSHOTS, name)
                .orElseThrow(
                        () ->
                                new IOException(
                                        "there is no snapshot "
                                                + name
                                                + " in "
                                                + target.text()
                                                + "; 'volute backup list' shows those there are"));
    }

    Optional<Manifest> manifest(String prefix, String name) throws IOException {
        Optional<byte[]> object = target.get(prefix + name, MOST_MANIFEST_OBJECT_BYTES);
        if (object.isEmpty()) {
            return Optional.empty();
        }
        byte[] bytes = object.get();
        if (bytes.length < MAGIC.length + Hashes.BYTES
                || !Arrays.equals(MAGIC, Arrays.copyOf(bytes, MAGIC.length))) {
            throw new IOException(prefix + name + " is damaged: it is no manifest");
        }
        int begin = MAGIC.length + Hashes.BYTES;
        byte[] frame = Arrays.copyOfRange(bytes, begin, bytes.length);
        byte[] json = codec.decode(prefix + name, 0, frame, LONGEST_MANIFEST_BYTES);
        byte[] hash = Arrays.copyOfRange(bytes, MAGIC.length, begin);
        if (!Arrays.equals(hash, Hashes.sha256(json))) {
            throw new IOException(prefix + name + " is damaged: its hash differs");
        }
        Manifest manifest = AdminJson.read(json, Manifest.class);
        if (!manifest.name().equals(name) || !manifest.store().equals(header.store())) {
            throw new IOException(prefix + name + " is the manifest of another snapshot");
        }
        return Optional.of(manifest);
    }

    void putManifest(String prefix, Manifest manifest) throws IOException {
        String name = prefix + manifest.name();
        byte[] json = AdminJson.write(manifest);
        byte[] frame = codec.encode(name, 0, json);
        ByteBuffer object = ByteBuffer.allocate(MAGIC.length + Hashes.BYTES + frame.length);
        object.put(MAGIC).put(Hashes.sha256(json)).put(frame);
        target.put(name, object.array());
    }
}
