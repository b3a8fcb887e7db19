package io.volute.versioning.provenance.audit;

import io.volute.provenance.record.Entry;
import io.volute.versioning.Openings.Fit;
import io.volute.versioning.Openings.Opening;
import io.volute.versioning.provenance.ErasedSecrets;
import java.util.Optional;

/**
 * Compares the keyring with the signed shreds of a key: what a shred destroyed stays destroyed, and
 * nothing else is. Not thread-safe.
 */
final class ErasureCheck {
    private final ErasedSecrets signed = new ErasedSecrets();
    private long unopened;
    private long explained;

    /** Takes the next entry of the chain. */
    void entry(Entry entry) {
        signed.add(entry);
    }

    /**
     * Compares the data key of a version.
     *
     * @param made sequence of the entry that made the version; empty when it is unknown
     * @return what is wrong
     */
    Optional<String> compare(Opening opening, Optional<Long> made) {
        boolean isSigned = signed.has(opening.secret());
        unopened += opening.fit() == Fit.OPENS ? 0 : 1;
        return switch (opening.fit()) {
            case ERASED -> {
                boolean isOlder = made.filter(signed::hasUnnamedBehind).isPresent();
                boolean isExplained = isSigned || isOlder;
                explained += isExplained ? 1 : 0;
                yield isExplained
                        ? Optional.empty()
                        : Optional.of("its data key was destroyed, and no shred of it is signed");
            }
            case OPENS ->
                    isSigned
                            ? Optional.of("a signed shred destroyed its data key, which is back")
                            : Optional.empty();
            case OTHER -> Optional.of("the keyring does not open its data key: it is another one");
        };
    }

    /** Returns the number of versions that cannot be opened. */
    long unopened() {
        return unopened;
    }

    /** Returns the number of those that a signed shred explains. */
    long explained() {
        return explained;
    }
}
