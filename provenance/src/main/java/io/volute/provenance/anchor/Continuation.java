package io.volute.provenance.anchor;

import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.ChainHead;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Compares the heads files of two checkpoints of a store: every chain of the earlier one must be in
 * the later one, with the same head or with a later entry as its head. Reads both files once, side
 * by side, in little memory.
 */
final class Continuation {
    /** The maximum number of broken chains in a report; further ones are only counted. */
    private static final int SHOWN_MAX = 10;

    private Continuation() {}

    /** A checkpoint and its purported heads file, which is not yet verified. */
    public record Headed(Checkpoint checkpoint, InputStream heads) {}

    /**
     * Returns what is wrong; empty when every chain continues.
     *
     * @throws RefusedException when a file is not that of the heads of its checkpoint
     */
    public static List<String> wrong(Headed earlier, Headed later) throws IOException {
        HeadsFile.Reader before = new HeadsFile.Reader(earlier.heads);
        HeadsFile.Reader after = new HeadsFile.Reader(later.heads);
        List<String> wrong = new ArrayList<>();
        long more = 0;
        Optional<HeadsFile.Head> next = after.next();
        for (Optional<HeadsFile.Head> old = before.next(); old.isPresent(); old = before.next()) {
            while (next.isPresent() && isBelow(next.get(), old.get())) {
                next = after.next();
            }
            Optional<String> broken = broken(old.get(), next);
            if (broken.isPresent() && wrong.size() < SHOWN_MAX) {
                wrong.add(broken.get());
            } else if (broken.isPresent()) {
                more++;
            }
        }
        while (next.isPresent()) {
            next = after.next();
        }
        require(earlier.checkpoint, before.root());
        require(later.checkpoint, after.root());
        if (more > 0) {
            wrong.add("and " + more + " more chains");
        }
        return wrong;
    }

    private static boolean isBelow(HeadsFile.Head head, HeadsFile.Head other) {
        return head.chainId().compareTo(other.chainId()) < 0;
    }

    private static Optional<String> broken(HeadsFile.Head old, Optional<HeadsFile.Head> next) {
        Hash chainId = old.chainId();
        ChainHead head = old.head();
        if (next.isEmpty() || !next.get().chainId().equals(chainId)) {
            return Optional.of("chain " + chainId + " is missing");
        }
        ChainHead now = next.get().head();
        if (now.sequence() < head.sequence()) {
            return Optional.of(
                    "chain "
                            + chainId
                            + " ends with entry "
                            + now.sequence()
                            + ", before entry "
                            + head.sequence());
        }
        return now.sequence() == head.sequence() && !now.equals(head)
                ? Optional.of("chain " + chainId + " has another entry " + head.sequence())
                : Optional.empty();
    }

    private static void require(Checkpoint checkpoint, MapRoot root) throws RefusedException {
        List<String> wrong = CheckpointAudit.heads(checkpoint, root);
        if (!wrong.isEmpty()) {
            throw new RefusedException(
                    "the heads are not the checkpoint's: " + String.join(", ", wrong));
        }
    }
}
