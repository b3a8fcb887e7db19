package io.volute.versioning.provenance.audit;

import io.volute.provenance.audit.Cause;
import io.volute.provenance.audit.Finding;
import io.volute.provenance.format.Hash;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.secrecy.Reading;
import io.volute.versioning.provenance.MetadataHash;
import io.volute.versioning.provenance.ProvenanceRecorder;
import io.volute.versioning.provenance.audit.StateRows.Found;
import io.volute.versioning.value.ObjectLock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Compares the state of a key with its chain in both directions. The entries yield the expected
 * state: each row must belong to it, and all of it must have rows. Differences that may have arisen
 * while nothing was signed are counted, not reported. Not thread-safe.
 */
final class StateCheck {
    private static final Hash NO_LOCK = MetadataHash.ofLock(ObjectLock.NONE);
    private static final int FINDINGS_MAX = 100;

    private final StateRows rows;
    private final UnsignedTimes times;
    private final UnsignedTimes.OfKey unsigned;

    /** Versions and delete markers that should be there. */
    private final TreeMap<Long, MadeVersion> live = new TreeMap<>();

    /** All versions that were ever made and that a row names. */
    private final Map<Long, MadeVersion> ever = new HashMap<>();

    private final Set<Long> named = new HashSet<>();

    /** Sequences of rows that a commit with an entry wrote. */
    private final Set<Long> rewritten = new HashSet<>();

    private final NavigableSet<Long> sequences = new TreeSet<>();
    private final List<Finding> findings = new ArrayList<>();

    private final ErasureCheck erasures = new ErasureCheck();
    private final NumberGaps gaps = new NumberGaps();
    private final Set<Long> doubtful = new HashSet<>();
    private long lastCommit = -1;
    private long unproven;
    private long hidden;

    StateCheck(StateRows rows, UnsignedTimes times) {
        this.rows = rows;
        this.times = times;
        this.unsigned = times.ofKey();
        Stream.concat(rows.present().stream(), rows.kept().stream())
                .forEach(
                        each -> {
                            named.add(each.number());
                            sequences.add(each.sequence());
                        });
    }

    /**
     * Adds the next entry.
     *
     * @param commit sequence of the commit that wrote it
     */
    void entry(EntryRecord record, long commit) {
        Entry entry = record.entry();
        if (entry.sequence() > rows.lastEntry()) {
            return;
        }
        if (unsigned.isUnstatedBetween(lastCommit, commit)) {
            doubt();
        }
        lastCommit = commit;
        // Each row has a sequence of its own; those of a commit precede that of its last entry.
        rewritten.addAll(sequences.subSet(entry.placement().commitSequence(), false, commit, true));
        erasures.entry(entry);
        boolean isStatement =
                entry.kind() == EventKind.METADATA
                        && entry.details().containsKey(ProvenanceRecorder.UNSIGNED);
        if (isStatement && unsigned.state(entry.placement().commitSequence())) {
            doubt();
        }
        Optional<Long> number = VersionContents.number(entry.versionId());
        if (number.isPresent()) {
            apply(record, number.get());
        }
    }

    private void apply(EntryRecord record, long number) {
        Entry entry = record.entry();
        switch (entry.kind()) {
            case WRITE, COPY -> make(record, number, false);
            case DELETE, RESTORE -> {
                Optional<String> deleted =
                        Optional.ofNullable(entry.details().get(ProvenanceRecorder.DELETED))
                                .map(field -> field.value().text());
                boolean removes =
                        deleted.map("version"::equals)
                                .orElse(!isNew(entry) && live.containsKey(number));
                if (removes) {
                    live.remove(number);
                } else {
                    make(record, number, deleted.isPresent() || entry.kind() == EventKind.DELETE);
                }
            }
            case PURGE -> live.remove(number);
            case TAGS, ACL -> {
                MadeVersion made = live.get(number);
                if (made != null) {
                    if (entry.kind() == EventKind.TAGS) {
                        made.tags = entry.content();
                    }
                    made.metadata = isNew(entry) ? metadata(record) : Optional.empty();
                    made.metadata.ifPresent(made.metadataEver::add);
                    made.mayHaveOtherMetadata = false;
                    made.mayBeGone = false;
                }
            }
            case LOCK -> {
                MadeVersion made = live.get(number);
                if (made != null && entry.content().isPresent()) {
                    made.lock = entry.content().get();
                    made.locksEver.add(made.lock);
                    made.mayHaveAnotherLock = false;
                    made.mayBeGone = false;
                }
            }
            case SUMMARY, ROTATION, SETTINGS, METADATA -> {
                // Not about the state of a version.
            }
        }
    }

    /** Notes that the state may have changed without an entry. */
    private void doubt() {
        live.values().forEach(MadeVersion::doubt);
        gaps.begin();
    }

    private boolean isNew(Entry entry) {
        return times.isComparable(entry.placement().commitSequence());
    }

    /** Returns the hash of the metadata; empty if it is hidden from the store itself. */
    private static Optional<Optional<Hash>> metadata(EntryRecord record) {
        int index = record.entry().fieldNames().indexOf(ProvenanceRecorder.METADATA.text());
        if (index < 0) {
            return Optional.of(Optional.empty());
        }
        return Reading.ofAnybody(record)
                .text(index)
                .filter(text -> text.length() == Hash.BYTES)
                .map(text -> Optional.of(Hash.of(text.toArray())));
    }

    private void make(EntryRecord record, long number, boolean isMarker) {
        Hash lock = MadeVersion.plain(record.entry(), ProvenanceRecorder.LOCK).orElse(NO_LOCK);
        MadeVersion made =
                new MadeVersion(number, record.entry(), isMarker, metadata(record), lock);
        if (!isNew(record.entry())) {
            // The entry does not record whether it replaced another version.
            live.values().forEach(each -> each.mayBeGone = true);
            made.doubt();
        } else if (made.isNull) {
            live.values().removeIf(each -> each.isNull && !each.isDoubtful);
            live.values().forEach(each -> each.mayBeGone |= each.isDoubtful);
        }
        live.put(number, made);
        gaps.made(number);
        if (named.contains(number)) {
            ever.put(number, made);
        }
    }

    /** Returns the sequence of the last entry that counts; -1 for none. */
    long lastEntry() {
        return rows.lastEntry();
    }

    /** Compares the state after the last entry; returns the defects. */
    List<Finding> finish() {
        if (unsigned.isUnstatedBetween(lastCommit, Long.MAX_VALUE)) {
            doubt();
        }
        gaps.end();
        rows.unreadable().forEach(each -> find(next(), Cause.STATE_CHANGED, each));
        Set<Long> there = new HashSet<>();
        for (Found each : rows.present()) {
            there.add(each.number());
            MadeVersion made = live.get(each.number());
            if (made != null) {
                compare(each, made);
            } else if (ever.containsKey(each.number())) {
                find(
                        ever.get(each.number()).entry,
                        Cause.UNSIGNED_STATE,
                        name(each) + " was removed or replaced, and is there again");
            } else {
                unknown(each);
            }
        }
        for (MadeVersion each : live.values()) {
            if (!there.contains(each.number) && !count(each.number, each.mayBeGone)) {
                String what = each.isMarker ? "delete marker " : "version ";
                find(each.entry, Cause.STATE_REMOVED, what + each.number + " is gone");
            }
        }
        rows.kept().forEach(this::compareKept);
        rows.present().forEach(this::erasure);
        rows.kept().forEach(this::erasure);
        current();
        return findings;
    }

    private void erasure(Found found) {
        if (found.opening().isEmpty()) {
            return;
        }
        Optional<MadeVersion> made = Optional.ofNullable(ever.get(found.number()));
        boolean isExcused =
                made.map(each -> each.isDoubtful).orElse(true) && isDatedUnsigned(found);
        erasures.compare(found.opening().get(), made.map(each -> each.entry))
                .filter(wrong -> !count(found.number(), isExcused))
                .ifPresent(
                        wrong ->
                                find(
                                        made.map(each -> each.entry).orElse(next()),
                                        Cause.ERASURE_CHANGED,
                                        name(found) + ": " + wrong));
    }

    /** Returns the comparison with the keyring. */
    ErasureCheck erasures() {
        return erasures;
    }

    /**
     * Returns the number of versions without an entry because nothing was signed when they were
     * made.
     */
    long unproven() {
        return unproven;
    }

    /** Returns the numbers of the versions that may have changed while nothing was signed. */
    Set<Long> doubtful() {
        return Set.copyOf(doubtful);
    }

    /** Returns the number of versions whose metadata could not be compared. */
    long hidden() {
        return hidden;
    }

    /**
     * Counts a difference that may have arisen while nothing was signed; returns whether it may.
     */
    private boolean count(long number, boolean isPossible) {
        if (isPossible) {
            unproven++;
            doubtful.add(number);
        }
        return isPossible;
    }

    /** Returns whether a row was changed in an unsigned time, or since then with an entry. */
    private boolean isDatedUnsigned(Found found) {
        return unsigned.has(found.began())
                || unsigned.has(found.sequence())
                || rewritten.contains(found.sequence());
    }

    private void unknown(Found found) {
        boolean isPossible =
                unsigned.has(found.began())
                        || unsigned.has(found.sequence())
                        || rewritten.contains(found.sequence()) && gaps.has(found.number());
        if (!count(found.number(), isPossible)) {
            find(next(), Cause.UNSIGNED_STATE, "no entry exists for " + name(found));
        }
    }

    private void compare(Found found, MadeVersion made) {
        String name = name(found);
        boolean isDated = isDatedUnsigned(found);
        boolean isDoubtful = made.isDoubtful && isDated;
        if (found.row().deleteMarker() != made.isMarker && !isDoubtful) {
            find(made.entry, Cause.STATE_CHANGED, name + " was another kind of version");
            return;
        }
        if (found.row().nullVersion() != made.isNull && !isDoubtful) {
            find(made.entry, Cause.STATE_CHANGED, name + " has another version id for clients");
        }
        facts(found, made);
        hidden += made.metadata.isEmpty() ? 1 : 0;
        boolean hasOther =
                made.metadata.isPresent() && !made.metadata.get().equals(found.metadata())
                        || made.tags.isPresent() && !made.tags.get().equals(found.tags());
        if (hasOther && !count(made.number, isDated && made.mayHaveOtherMetadata)) {
            find(made.entry, Cause.STATE_CHANGED, name + " has other metadata or tags");
        }
        if (!made.lock.equals(found.lock())
                && !count(made.number, isDated && made.mayHaveAnotherLock)) {
            find(made.entry, Cause.STATE_CHANGED, name + " has another retention or legal hold");
        }
    }

    private void facts(Found found, MadeVersion made) {
        boolean isOther =
                made.attributes.isPresent() && !made.attributes.get().equals(found.attributes());
        if (isOther) {
            find(
                    made.entry,
                    Cause.STATE_CHANGED,
                    name(found) + " has another size, ETag, checksum or time");
        }
    }

    private void compareKept(Found found) {
        MadeVersion made = ever.get(found.number());
        if (made == null) {
            unknown(found);
            return;
        }
        facts(found, made);
        boolean isOther =
                !made.locksEver.contains(found.lock())
                        || made.metadata.isPresent()
                                && !made.metadataEver.contains(found.metadata());
        if (isOther && !count(made.number, made.isDoubtful && isDatedUnsigned(found))) {
            find(
                    made.entry,
                    Cause.STATE_CHANGED,
                    "a kept state of " + name(found) + " has metadata or a lock that it never had");
        }
    }

    /** Checks that the current version was made last and names the null version behind it. */
    private void current() {
        if (rows.present().isEmpty()) {
            return;
        }
        Found first = rows.present().getFirst();
        if (!rows.hasCurrent()) {
            find(next(), Cause.CURRENT_CHANGED, "there are versions, and none is current");
            return;
        }
        List<Found> behind = rows.present().subList(1, rows.present().size());
        behind.stream()
                .filter(each -> each.number() > first.number())
                .findFirst()
                .ifPresent(
                        each ->
                                find(
                                        next(),
                                        Cause.CURRENT_CHANGED,
                                        name(first) + " is current, not " + name(each)));
        long nullBehind =
                behind.stream()
                        .filter(each -> each.row().nullVersion())
                        .mapToLong(Found::number)
                        .findFirst()
                        .orElse(0);
        if (nullBehind != first.row().nullBehind()) {
            find(
                    next(),
                    Cause.CURRENT_CHANGED,
                    name(first) + " names another null version than the one after it");
        }
    }

    private static String name(Found found) {
        return (found.row().deleteMarker() ? "delete marker " : "version ") + found.number();
    }

    /** Returns the sequence that the missing entry would have. */
    private long next() {
        return rows.lastEntry() + 1;
    }

    private void find(long sequence, Cause cause, String detail) {
        if (findings.size() < FINDINGS_MAX) {
            findings.add(new Finding(sequence, cause, detail));
        }
    }
}
