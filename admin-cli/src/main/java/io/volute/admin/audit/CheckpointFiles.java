package io.volute.admin.audit;

import io.volute.provenance.anchor.Checkpoint;
import io.volute.provenance.anchor.CoSignature;
import io.volute.provenance.anchor.Witness;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.PublicKey;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SignerId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Exported checkpoints, and what lies beside them. */
public final class CheckpointFiles {
    private static final String NAME = "checkpoint-";
    private static final String HEADS = "heads-";
    private static final Pattern NAMED = Pattern.compile(NAME + "([0-9]{1,18})");
    private static final Pattern ENTRIES = Pattern.compile("entries-([0-9]{1,18})-([0-9]{1,18})");
    private static final int ID_DIGITS = 16;

    private CheckpointFiles() {}

    /** The checkpoint that a file holds. */
    public static Checkpoint read(Path file) throws IOException {
        return Checkpoint.decode(bytes(file));
    }

    private static Bytes bytes(Path file) throws IOException {
        return Bytes.of(Files.readAllBytes(file));
    }

    /** The public keys of a store, from the root key on. */
    public static KeyList keys(Path file, String rootKey) throws IOException {
        try {
            return KeyList.read(bytes(file), Hash.ofHex(rootKey));
        } catch (RefusedException e) {
            throw new IOException("the key list is not to be trusted: " + e.getMessage(), e);
        }
    }

    /** Returns the newest checkpoint of a directory, or the path itself if it is a file. */
    public static Path newest(Path where) throws IOException {
        if (!Files.isDirectory(where)) {
            return where;
        }
        try (Stream<Path> files = Files.list(where)) {
            return files.filter(file -> number(file) >= 0)
                    .max(Comparator.comparingLong(CheckpointFiles::number))
                    .orElseThrow(() -> new IOException(where + " has no checkpoint-NUMBER"));
        }
    }

    private static long number(Path file) {
        Matcher name = NAMED.matcher(file.getFileName().toString());
        return name.matches() ? Long.parseLong(name.group(1)) : -1;
    }

    /**
     * Returns the checkpoint with the given number in the directory of another one, if it exists.
     */
    static Optional<Checkpoint> beside(Path file, long number) throws IOException {
        try {
            return Optional.of(read(file.resolveSibling(NAME + number)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /**
     * What lies beside a checkpoint.
     *
     * @param file of the checkpoint
     */
    public record Beside(Path file) implements Witness.Between {
        @Override
        public Optional<Checkpoint> checkpoint(long number) throws IOException {
            return beside(file, number);
        }

        @Override
        public Optional<Path> heads(long number) {
            return Optional.of(file.resolveSibling(HEADS + number)).filter(Files::exists);
        }

        @Override
        public Optional<Witness.Entries> entries(long from, long goal) throws IOException {
            try (Stream<Path> files = Files.list(file.toAbsolutePath().getParent())) {
                return files.flatMap(each -> entries(each, from).stream())
                        .filter(each -> each.to() > from && each.to() <= goal)
                        .max(Comparator.comparingLong(Witness.Entries::to));
            }
        }

        private static Optional<Witness.Entries> entries(Path file, long from) {
            Matcher name = ENTRIES.matcher(file.getFileName().toString());
            return name.matches() && Long.parseLong(name.group(1)) == from
                    ? Optional.of(new Witness.Entries(Long.parseLong(name.group(2)), file))
                    : Optional.empty();
        }
    }

    /** Returns the path of a witness's co-signature of a checkpoint. */
    public static Path coSignature(Path checkpoint, SignerId witness) {
        String id = witness.keyId().hex().substring(0, ID_DIGITS);
        return checkpoint.resolveSibling(checkpoint.getFileName() + ".witness-" + id);
    }

    /**
     * Demands that witnesses have co-signed a checkpoint, in it or in the files beside it.
     *
     * @param witnesses files of their public keys
     * @throws IOException names who has not, and the likely cause
     */
    static void requireWitnessed(Path file, Checkpoint checkpoint, List<Path> witnesses)
            throws IOException {
        for (Path each : witnesses) {
            PublicKey key = PublicKeyFile.read(each, List.of(SignatureAlgorithm.ED25519));
            Path beside = coSignature(file, key.id());
            Optional<CoSignature> signed =
                    Files.exists(beside)
                            ? Optional.of(decode(beside))
                            : CoSignature.within(checkpoint, key.id());
            String what = file + " is not to be trusted: ";
            CoSignature found =
                    signed.orElseThrow(
                            () ->
                                    new IOException(
                                            what
                                                    + "it is not co-signed by "
                                                    + each
                                                    + ", who has not seen it yet or refused it;"
                                                    + " there is no "
                                                    + beside));
            Optional<String> wrong = found.wrong(checkpoint, key);
            if (wrong.isPresent()) {
                throw new IOException(what + "the co-signature " + wrong.get());
            }
        }
    }

    private static CoSignature decode(Path file) throws IOException {
        try {
            return CoSignature.decode(bytes(file));
        } catch (RefusedException e) {
            throw new IOException(file + " is cut off or damaged: " + e.getMessage(), e);
        }
    }
}
