package io.volute.provenance.anchor;

import io.volute.provenance.format.RefusedException;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.SigningKey;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;

/**
 * An independent party that co-signs the checkpoints of a store. A witness signs a checkpoint only
 * if it descends from the last one that it signed. The store can therefore show nobody a different
 * history. Thread-safe.
 */
public final class Witness {
    private static final InputStream NOTHING = InputStream.nullInputStream();

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
        CUT
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

    /** The source of the checkpoints between two checkpoints, and of the heads files of both. */
    public interface Between {
        /** Empty when it is not there. */
        Optional<Checkpoint> checkpoint(long number) throws IOException;

        /** Opens the heads file of a checkpoint; empty when it is not there. */
        default Optional<InputStream> heads(long number) throws IOException {
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
        Optional<Outcome> wrong = wrongUpTo(before, next, between);
        return wrong.isPresent() ? wrong : wrongHeads(before, next, between);
    }

    /** Every chain of the last one must continue: what was cut off meanwhile is not vouched for. */
    private static Optional<Outcome> wrongHeads(Checkpoint before, Checkpoint next, Between between)
            throws IOException {
        if (before.map().equals(next.map())) {
            return Optional.empty();
        }
        long old = before.body().number();
        long now = next.body().number();
        try (InputStream earlier = between.heads(old).orElse(NOTHING);
                InputStream later = between.heads(now).orElse(NOTHING)) {
            if (earlier == NOTHING || later == NOTHING) {
                String name = "heads-" + (earlier == NOTHING ? old : now);
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
            List<String> wrong =
                    Continuation.wrong(
                            new Continuation.Headed(before, earlier),
                            new Continuation.Headed(next, later));
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
