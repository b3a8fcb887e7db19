package io.volute.versioning.provenance.audit;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.record.Entry;
import io.volute.versioning.provenance.ProvenanceRecorder;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** A version or delete marker, according to its entries. Not thread-safe. */
final class MadeVersion {
    final long number;
    final long entry;
    final boolean isMarker;
    final boolean isNull;
    final Optional<Hash> attributes;
    final Set<Optional<Hash>> metadataEver = new HashSet<>();
    final Set<Hash> locksEver = new HashSet<>();

    /** Empty if it is not known; else the hash, if there is any metadata. */
    Optional<Optional<Hash>> metadata;

    Optional<Hash> tags = Optional.empty();
    Hash lock;

    /** Set when it may have been changed or removed while nothing was signed. */
    boolean mayBeGone;

    boolean mayHaveOtherMetadata;
    boolean mayHaveAnotherLock;
    boolean isDoubtful;

    MadeVersion(
            long number,
            Entry entry,
            boolean isMarker,
            Optional<Optional<Hash>> metadata,
            Hash lock) {
        this.number = number;
        this.entry = entry.sequence();
        this.isMarker = isMarker;
        this.isNull = !entry.details().containsKey(ProvenanceRecorder.VERSIONED);
        this.attributes = plain(entry, ProvenanceRecorder.ATTRIBUTES);
        this.metadata = metadata;
        this.lock = lock;
        metadata.ifPresent(metadataEver::add);
        locksEver.add(lock);
    }

    void doubt() {
        mayBeGone = true;
        mayHaveOtherMetadata = true;
        mayHaveAnotherLock = true;
        isDoubtful = true;
    }

    static Optional<Hash> plain(Entry entry, Bytes name) {
        return Optional.ofNullable(entry.details().get(name))
                .filter(field -> field.value().length() == Hash.BYTES)
                .map(field -> Hash.of(field.value().toArray()));
    }
}
