package io.volute.provenance.anchor;

import io.volute.provenance.format.RefusedException;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.SigningKey;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * An independent party that co-signs the checkpoints of a store. A witness signs a checkpoint only
 * if it descends from the last one that it signed, in its own chain and in the chains of all keys.
 * The store can therefore show nobody a different history. Thread-safe.
 */
public final class Witness {
    private final KeyList keys;
    private final SigningKey key;
    private final Optional<Checkpoint> last;

    /** Why a checkpoint is not co-signed. */
    public enum Reason {
        /** The store did not sign it, or with keys that are not its. */
        FORGED,
        /** The checkpoint before is of another store. */
        OTHER_STORE,
        /** One that is older than the last. */
        REPLAYED,
        /** It does not descend from the last. */
        FORKED,
        /** One between the last and it is not there, or the heads of one. */
        INCOMPLETE,
        /** A chain of the last one is gone, or shorter, or has another entry. */
        CUT,
        /** A chain is longer than in the last one, and does not descend from it. */
        REWRITTEN,
        /** It claims a time before that of the last one. */
        BACKDATED
    }

    /** The result of a co-signing request. */
    public sealed interface Outcome {
        /**
         * Nothing is wrong with it.
         *
         * @param last to be kept, and forced to the disk, before the co-signature is given away
         */
        record Signed(CoSignature coSignature, Checkpoint last) implements Outcome {}

        /**
         * Something is.
         *
         * @param text what, and the likely cause
         */
        record Refused(Reason reason, String text) implements Outcome {}
    }

    /**
     * An export that was made after a checkpoint, and has what came since an earlier one.
     *
     * @param to number of that checkpoint
     */
    public record Entries(long to, Path file) {}

    /** The source of the checkpoints between two checkpoints, of their heads and entries. */
    public interface Between {
        /** Empty when it is not there. */
        Optional<Checkpoint> checkpoint(long number) throws IOException;

        /** Returns the heads file of a checkpoint; empty when it is not there. */
        default Optional<Path> heads(long number) throws IOException {
            return Optional.empty();
        }

        /**
         * Returns the export since a checkpoint that reaches farthest, up to a later checkpoint;
         * empty when there is none.
         *
         * @param from number of the earlier checkpoint
         * @param goal number of the later one, the greatest that the result may have
         */
        default Optional<Entries> entries(long from, long goal) throws IOException {
            return Optional.empty();
        }
    }

    /**
     * @param keys of the store, verified from a root key that is known from elsewhere
     * @param last the one that was co-signed last, from a file that nobody else could change; empty
     *     only at the very beginning
     */
    public Witness(KeyList keys, SigningKey key, Optional<Checkpoint> last) {
        this.keys = keys;
        this.key = key;
        this.last = last;
    }

    /** Co-signs a checkpoint that descends from the last one. */
    public Outcome look(Checkpoint next, Between between) throws IOException {
        Optional<Outcome> refused = wrongAlone(next);
        if (refused.isEmpty() && last.isPresent()) {
            refused = wrongBehind(last.get(), next, between);
        }
        return refused.orElseGet(
                () -> new Outcome.Signed(CoSignature.of(next, key), next.witnessed(key)));
    }

    private Optional<Outcome> wrongAlone(Checkpoint next) {
        if (last.isPresent() && !last.get().body().storeId().equals(next.body().storeId())) {
            return refused(
                    Reason.OTHER_STORE,
                    next,
                    "is of another store than the last one: a wrong directory, or the store was"
                            + " replaced by a new one");
        }
        List<String> wrong = new CheckpointAudit(keys).next(next);
        return wrong.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new Outcome.Refused(
                                Reason.FORGED,
                                String.join(", ", wrong)
                                        + ": forged, damaged, or its key list is not the newest"));
    }

    private Optional<Outcome> wrongBehind(Checkpoint before, Checkpoint next, Between between)
            throws IOException {
        Checkpoint.Body seen = before.body();
        long number = next.body().number();
        boolean isSameList =
                seen.keyRecords() <= keys.size()
                        && keys.hash((int) seen.keyRecords()).equals(seen.keyHash());
        if (!isSameList) {
            return refused(
                    Reason.FORKED,
                    next,
                    "comes with a key list that is not the one of checkpoint "
                            + seen.number()
                            + ": keys were taken back or replaced");
        }
        if (number < seen.number()) {
            return refused(
                    Reason.REPLAYED,
                    next,
                    "is older than checkpoint "
                            + seen.number()
                            + ", which was co-signed last: an old file is shown again, or the store"
                            + " was put back to an older state");
        }
        if (number == seen.number()) {
            return next.hash().equals(before.hash())
                    ? Optional.empty()
                    : refused(
                            Reason.FORKED,
                            next,
                            "is another one than the checkpoint of that number that was co-signed:"
                                    + " the store was put back and went on otherwise, or shows two"
                                    + " histories; keep both files, they prove it");
        }
        if (next.body().timeMillis() < seen.timeMillis()) {
            return refused(
                    Reason.BACKDATED,
                    next,
                    "claims "
                            + Instant.ofEpochMilli(next.body().timeMillis())
                            + ", a time before that of checkpoint "
                            + seen.number()
                            + ", "
                            + Instant.ofEpochMilli(seen.timeMillis())
                            + ": the clock of the store was set back. Set it right, and co-sign a"
                            + " later checkpoint");
        }
        Optional<Outcome> wrong = wrongUpTo(before, next, between);
        return wrong.isPresent() ? wrong : wrongChains(before, next, between);
    }

    /** Every chain of the last one must continue: what was cut off meanwhile is not vouched for. */
    private Optional<Outcome> wrongChains(Checkpoint before, Checkpoint next, Between between)
            throws IOException {
        Optional<Outcome> wrong = wrongHeads(before, next, next, between);
        Checkpoint from = before;
        while (wrong.isEmpty() && !from.map().equals(next.map())) {
            long old = from.body().number();
            Optional<Entries> entries = between.entries(old, next.body().number());
            if (entries.isEmpty()) {
                return withoutEntries(old, next, "entries-" + old + "-N is missing");
            }
            Checkpoint to = reached(entries.get().to(), next, between);
            if (entries.get().to() < next.body().number()) {
                wrong = wrongHeads(from, to, next, between);
            }
            if (wrong.isEmpty() && !from.map().equals(to.map())) {
                wrong = wrongEntries(from, to, next, between, entries.get());
            }
            from = to;
        }
        return wrong;
    }

    /** Returns a checkpoint up to the next one, all of which were verified before. */
    private static Checkpoint reached(long number, Checkpoint next, Between between)
            throws IOException {
        return number == next.body().number()
                ? next
                : between.checkpoint(number)
                        .orElseThrow(
                                () -> new IOException("checkpoint " + number + " disappeared"));
    }

    private static Optional<Outcome> wrongHeads(
            Checkpoint before, Checkpoint to, Checkpoint next, Between between) throws IOException {
        if (before.map().equals(to.map())) {
            return Optional.empty();
        }
        long old = before.body().number();
        long now = to.body().number();
        Optional<Path> earlier = between.heads(old);
        Optional<Path> later = between.heads(now);
        if (earlier.isEmpty() || later.isEmpty()) {
            String name = "heads-" + (earlier.isEmpty() ? old : now);
            return refused(
                    Reason.INCOMPLETE,
                    next,
                    "cannot be compared with checkpoint "
                            + old
                            + ": "
                            + name
                            + " is missing in its directory. Copy it there, or get it from the"
                            + " server: GET /_volute/v1/provenance/heads?number=N");
        }
        try (InputStream first = Files.newInputStream(earlier.get());
                InputStream second = Files.newInputStream(later.get())) {
            List<String> wrong =
                    Continuation.wrong(
                            new Continuation.Headed(before, first),
                            new Continuation.Headed(to, second));
            return wrong.isEmpty()
                    ? Optional.empty()
                    : refused(
                            Reason.CUT,
                            next,
                            "does not continue checkpoint "
                                    + old
                                    + ": "
                                    + String.join(", ", wrong)
                                    + ": entries were cut off, or a key was hidden; keep both"
                                    + " heads files, they prove it");
        } catch (RefusedException e) {
            return refused(
                    Reason.FORGED,
                    next,
                    "cannot be compared with checkpoint " + old + ": " + e.getMessage());
        }
    }

    /** Every new head must descend from the old one, entry by entry. */
    private Optional<Outcome> wrongEntries(
            Checkpoint before, Checkpoint to, Checkpoint next, Between between, Entries entries)
            throws IOException {
        long old = before.body().number();
        try (TrustedHeads earlier = TrustedHeads.open(heads(old, between), before);
                TrustedHeads later = TrustedHeads.open(heads(entries.to, between), to);
                InputStream export = Files.newInputStream(entries.file)) {
            Ancestry ancestry =
                    new Ancestry(
                            keys,
                            new Ancestry.Headed(before, earlier),
                            new Ancestry.Headed(to, later));
            return switch (ancestry.read(new BufferedInputStream(export))) {
                case Ancestry.Verdict.Descends() -> Optional.empty();
                case Ancestry.Verdict.Incomplete(String text) ->
                        withoutEntries(old, next, entries.file.getFileName() + ": " + text);
                case Ancestry.Verdict.Rewritten(List<String> findings) ->
                        refused(
                                Reason.REWRITTEN,
                                next,
                                "does not descend from checkpoint "
                                        + old
                                        + ", which was co-signed: "
                                        + String.join(", ", findings)
                                        + ". Somebody with the keys rewrote the history, the export"
                                        + " is damaged, or the store removed the head of then"
                                        + " (provenance.retention); keep the files of both"
                                        + " checkpoints, they prove it");
            };
        } catch (RefusedException e) {
            return refused(
                    Reason.FORGED,
                    next,
                    "cannot be compared with checkpoint " + old + ": " + e.getMessage());
        }
    }

    private static Path heads(long number, Between between) throws IOException {
        return between.heads(number)
                .orElseThrow(() -> new IOException("heads-" + number + " disappeared"));
    }

    private static Optional<Outcome> withoutEntries(long old, Checkpoint next, String why) {
        return refused(
                Reason.INCOMPLETE,
                next,
                "cannot be followed back to checkpoint "
                        + old
                        + ", as heads alone do not show it: "
                        + why
                        + ". Put it in the directory of the checkpoint: volute provenance export"
                        + " --all --since-checkpoint "
                        + old
                        + " --output entries-"
                        + old
                        + "-"
                        + next.body().number()
                        + " (an older server: without --since-checkpoint)");
    }

    private Optional<Outcome> wrongUpTo(Checkpoint before, Checkpoint next, Between between)
            throws IOException {
        CheckpointAudit audit = new CheckpointAudit(keys, before);
        for (long number = before.body().number() + 1; number <= next.body().number(); number++) {
            boolean isLast = number == next.body().number();
            Optional<Checkpoint> each = isLast ? Optional.of(next) : between.checkpoint(number);
            if (each.isEmpty()) {
                return refused(
                        Reason.INCOMPLETE,
                        next,
                        "cannot be followed back to "
                                + before.body().number()
                                + ": checkpoint "
                                + number
                                + " is missing in its directory, hidden or not copied yet");
            }
            Optional<Outcome> wrong = wrongAlone(each.get());
            if (wrong.isPresent()) {
                return wrong;
            }
            List<String> broken = audit.next(each.get());
            if (!broken.isEmpty()) {
                return Optional.of(
                        new Outcome.Refused(
                                Reason.FORKED,
                                String.join(", ", broken)
                                        + ", where checkpoint "
                                        + before.body().number()
                                        + " was co-signed: the store was put back to before it and"
                                        + " went on otherwise, or shows two histories; keep both"
                                        + " files, they prove it"));
            }
        }
        return Optional.empty();
    }

    private static Optional<Outcome> refused(Reason reason, Checkpoint what, String text) {
        return Optional.of(
                new Outcome.Refused(reason, "checkpoint " + what.body().number() + " " + text));
    }
}
