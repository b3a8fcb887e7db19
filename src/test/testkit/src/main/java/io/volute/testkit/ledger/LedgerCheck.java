package io.volute.testkit.ledger;

import io.volute.testkit.ledger.LedgerEntry.Outcome;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Compares the content of a store with a {@link ClientLedger}. Every acknowledged write is there,
 * or a write that did not end before it began replaced it. A write without an outcome is there
 * wholly or not at all. Nothing else is there.
 */
public final class LedgerCheck {
    private final ClientLedger ledger;

    public LedgerCheck(ClientLedger ledger) {
        this.ledger = ledger;
    }

    /** Reads from the store that is checked. */
    public interface Reader {
        /**
         * The digest of the body under a key, read to its end; empty when nothing is there. Asked
         * by several threads.
         */
        Optional<String> digest(String key);
    }

    /** Reads all versions from the store that is checked. */
    public interface VersionReader {
        /** The digests of all versions of a key, newest first, delete markers left out. */
        List<String> digests(String key) throws IOException;
    }

    /** Checks the newest state of every key; one line for each violation. */
    public List<String> currentStates(Reader reader) {
        return ledger.byKey().entrySet().parallelStream()
                .flatMap(key -> violation(key.getKey(), key.getValue(), reader).stream())
                .toList();
    }

    private static Optional<String> violation(String key, List<LedgerEntry> writes, Reader reader) {
        Set<Optional<String>> allowed = allowed(writes);
        Optional<String> found = reader.digest(key);
        return allowed.contains(found)
                ? Optional.empty()
                : Optional.of(
                        key
                                + " holds "
                                + words(found, writes)
                                + "; allowed are "
                                + allowed
                                + "; history "
                                + writes);
    }

    /**
     * Checks the versions of every key of a store that keeps all of them: each acknowledged body is
     * there, each body there was sent. Bodies must be unique. One line for each violation.
     */
    public List<String> allVersions(VersionReader reader) throws IOException {
        List<String> violations = new ArrayList<>();
        for (Map.Entry<String, List<LedgerEntry>> key : ledger.byKey().entrySet()) {
            List<String> found = reader.digests(key.getKey());
            Set<String> left = new HashSet<>(found);
            if (left.size() < found.size()) {
                violations.add(key.getKey() + " holds a body twice: " + found);
            }
            for (LedgerEntry entry : key.getValue()) {
                boolean isThere = entry.digest().isPresent() && left.remove(entry.digest().get());
                boolean mustBe =
                        entry.outcome() == Outcome.ACKNOWLEDGED && entry.digest().isPresent();
                if (mustBe && !isThere) {
                    violations.add(key.getKey() + " lost the acknowledged " + entry);
                }
                if (isThere && entry.outcome() == Outcome.REFUSED) {
                    violations.add(key.getKey() + " holds the refused " + entry);
                }
            }
            left.forEach(
                    other ->
                            violations.add(
                                    key.getKey() + " holds a value that no client sent: " + other));
        }
        return violations;
    }

    private static Set<Optional<String>> allowed(List<LedgerEntry> writes) {
        List<LedgerEntry> done =
                writes.stream().filter(write -> write.outcome() == Outcome.ACKNOWLEDGED).toList();
        Set<Optional<String>> allowed = new HashSet<>();
        if (done.isEmpty()) {
            allowed.add(Optional.empty());
        }
        for (LedgerEntry write : writes) {
            boolean replaced = done.stream().anyMatch(later -> later.sequence() > write.ended());
            if (write.outcome() != Outcome.REFUSED && !replaced) {
                allowed.add(write.digest());
            }
        }
        return allowed;
    }

    private static String words(Optional<String> found, List<LedgerEntry> writes) {
        if (found.isEmpty()) {
            return "nothing";
        }
        return writes.stream()
                .filter(write -> write.digest().equals(found))
                .findFirst()
                .map(write -> "the replaced or refused " + write)
                .orElse("a value that no client sent: " + found.orElseThrow());
    }
}
