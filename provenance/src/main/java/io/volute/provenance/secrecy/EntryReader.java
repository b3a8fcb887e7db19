package io.volute.provenance.secrecy;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.Field;
import io.volute.provenance.secrecy.Auditor.Share;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads entries with the private keys, and the shares of others, that somebody has. Must learn of
 * each tree before the entries for its auditors. Not thread-safe.
 */
public final class EntryReader {
    private final List<AuditorKey> keys;
    private final Map<Place, List<Share>> given = new HashMap<>();

    /** The auditors whose private keys this reader has, by tree id. */
    private final Map<Hash, List<Auditor>> auditors = new HashMap<>();

    /**
     * @param keys none: what shares alone open
     */
    public EntryReader(Collection<AuditorKey> keys) {
        this.keys = List.copyOf(keys);
    }

    /** Adds what another auditor shares of an entry. */
    public void add(Place place, Share share) {
        given.computeIfAbsent(place, any -> new ArrayList<>()).add(share);
    }

    /** From here on, entries for the auditors of that tree can be read by those of them we are. */
    public void learn(SharedTree tree) {
        auditors.computeIfAbsent(
                tree.tree().id(),
                any -> keys.stream().flatMap(key -> tree.auditor(key).stream()).toList());
    }

    /** Decrypts an entry as far as the keys and shares of this reader permit. */
    public Reading read(EntryRecord record) {
        if (record.entry().fields().stream()
                .noneMatch(field -> field.form() == Field.Form.ENCRYPTED)) {
            return new Reading(record, Optional.empty(), List.of());
        }
        Place place = Place.of(record.entry());
        List<Share> shares = new ArrayList<>(given.getOrDefault(place, List.of()));
        List<Integer> unfit = new ArrayList<>();
        Optional<SessionKey> key = Optional.empty();
        for (Map.Entry<Integer, Bytes> each : record.disclosure().slots().entrySet()) {
            Optional<KeySlot> slot = slot(each.getValue());
            if (slot.isEmpty()) {
                unfit.add(each.getKey());
                continue;
            }
            List<KeySlot> one = List.of(slot.get());
            for (Auditor auditor : forWhom(slot.get())) {
                Optional<SessionKey> opened = auditor.open(one, place);
                List<Share> own = auditor.shares(one, place);
                shares.addAll(own);
                key = key.or(() -> opened);
                if (opened.isEmpty() && own.isEmpty()) {
                    unfit.add(each.getKey());
                }
            }
        }
        return new Reading(record, key.or(() -> Auditor.join(shares, place)), unfit);
    }

    /** The shares that our keys open, to be given to those who read together. */
    public List<Share> shares(EntryRecord record) {
        Place place = Place.of(record.entry());
        List<Share> own = new ArrayList<>();
        for (Bytes each : record.disclosure().slots().values()) {
            slot(each)
                    .ifPresent(
                            slot ->
                                    forWhom(slot)
                                            .forEach(
                                                    auditor ->
                                                            own.addAll(
                                                                    auditor.shares(
                                                                            List.of(slot),
                                                                            place))));
        }
        return own;
    }

    private List<Auditor> forWhom(KeySlot slot) {
        return auditors.getOrDefault(slot.treeId(), List.of()).stream()
                .filter(auditor -> auditor.has(slot.node()))
                .toList();
    }

    private static Optional<KeySlot> slot(Bytes encoded) {
        try {
            return Optional.of(KeySlot.decode(encoded));
        } catch (RefusedException e) {
            return Optional.empty();
        }
    }
}
