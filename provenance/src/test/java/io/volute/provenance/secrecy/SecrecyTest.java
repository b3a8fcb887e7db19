package io.volute.provenance.secrecy;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.audit.AuditTerms;
import io.volute.provenance.audit.History;
import io.volute.provenance.chain.Event;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.Disclosure;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.EventKind;
import io.volute.provenance.record.Field;
import io.volute.provenance.record.SpiralShape.Construction;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SecrecyTest {
    private static final Bytes DETAIL = Bytes.of("moved to the archive");
    private static final String NAME = SessionKey.detail("reason");

    private final SecureRandom random = new SecureRandom();
    private final Auditors auditors = new Auditors(3, random);
    private final AuditorTree tree = auditors.tree();
    private final Place place = new Place(Hash.ZERO, 5);

    @Test
    void aCoverHasExactlyTheChosenLeavesAndNoNodeTooMany() {
        for (int chosen = 0; chosen < 256; chosen++) {
            Set<Integer> some = chosen(chosen);
            List<Integer> nodes = tree.cover(some);
            Set<Integer> leaves = new HashSet<>();
            for (int auditor = 0; auditor < 8; auditor++) {
                for (int node : tree.way(auditor)) {
                    if (nodes.contains(node)) {
                        assertThat(leaves.add(auditor)).as("covered once").isTrue();
                    }
                }
            }
            assertThat(leaves).isEqualTo(some);
            // Two siblings would be their parent.
            assertThat(nodes).noneMatch(node -> node > 1 && nodes.contains(node ^ 1));
        }
        assertThat(tree.cover(chosen(255))).containsExactly(1);
        assertThat(new Auditors(0, random).tree().cover(Set.of(0))).containsExactly(1);
    }

    private static Set<Integer> chosen(int mask) {
        Set<Integer> some = new HashSet<>();
        for (int auditor = 0; auditor < 8; auditor++) {
            if ((mask >> auditor & 1) == 1) {
                some.add(auditor);
            }
        }
        return some;
    }

    @Test
    void theChosenAuditorsReadAndNobodyElse() {
        for (int mask : List.of(0, 1, 0b1010_0110, 0b0111_1111, 255)) {
            SessionKey key = SessionKey.generate(place, random);
            Field field = key.encrypt(NAME, DETAIL);
            List<KeySlot> slots = KeySlot.wrap(key, tree, chosen(mask), random);
            for (int number = 0; number < 8; number++) {
                var read =
                        auditors.auditor(number)
                                .open(slots, place)
                                .flatMap(opened -> opened.decrypt(NAME, field));
                assertThat(read.equals(java.util.Optional.of(DETAIL)))
                        .as("auditor %d of %s", number, chosen(mask))
                        .isEqualTo(chosen(mask).contains(number));
            }
            assertThat(new Auditors(3, random).auditor(0).open(slots, place)).isEmpty();
        }
    }

    @Test
    void aKeyOpensOneFieldOfOneEntry() {
        SessionKey key = SessionKey.generate(place, random);
        Field field = key.encrypt(NAME, DETAIL);
        assertThat(key.decrypt(SessionKey.PRINCIPAL, field)).isEmpty();
        Place next = new Place(Hash.ZERO, 6);
        assertThat(new SessionKey(key.secret(), next).decrypt(NAME, field)).isEmpty();
        List<KeySlot> slots = KeySlot.wrap(key, tree, Set.of(2), random);
        assertThat(auditors.auditor(2).open(slots, next)).isEmpty();
        assertThat(key.decrypt(NAME, Field.plain("plain text that is not encrypted"))).isEmpty();
    }

    @Test
    void sharesAreOpenedByOneOfEachGroup() {
        SessionKey key = SessionKey.generate(place, random);
        Field field = key.encrypt(NAME, DETAIL);
        List<Set<Integer>> groups = List.of(Set.of(0, 1), Set.of(2, 3, 4), Set.of(6));
        List<KeySlot> slots = KeySlot.wrapShares(key, tree, groups, 2, random);
        List<Auditor.Share> one = auditors.auditor(1).shares(slots, place);
        List<Auditor.Share> same = auditors.auditor(0).shares(slots, place);
        List<Auditor.Share> other = auditors.auditor(4).shares(slots, place);
        assertThat(one).hasSize(1);
        assertThat(auditors.auditor(1).open(slots, place)).isEmpty();
        assertThat(auditors.auditor(7).shares(slots, place)).isEmpty();
        assertThat(Auditor.join(one, place)).isEmpty();
        List<Auditor.Share> oneGroup = new ArrayList<>(one);
        oneGroup.addAll(same);
        assertThat(Auditor.join(oneGroup, place)).as("two of one group").isEmpty();
        List<Auditor.Share> two = new ArrayList<>(one);
        two.addAll(other);
        assertThat(Auditor.join(two, place).flatMap(it -> it.decrypt(NAME, field)))
                .contains(DETAIL);
    }

    @Test
    void slotsHaveOneEncoding() {
        SessionKey key = SessionKey.generate(place, random);
        KeySlot slot = KeySlot.wrap(key, tree, Set.of(3), random).getFirst();
        byte[] bytes = slot.encode().toArray();
        for (int bit = 0; bit < bytes.length * 8; bit++) {
            bytes[bit >> 3] ^= (byte) (1 << (bit & 7));
            try {
                KeySlot other = KeySlot.decode(Bytes.of(bytes));
                assertThat(other.encode()).isEqualTo(Bytes.of(bytes));
                assertThat(auditors.auditor(3).open(List.of(other), place))
                        .as("bit %d", bit)
                        .isEmpty();
            } catch (RefusedException e) {
                assertThat(e).hasMessageContaining("key slot, at byte");
            }
            bytes[bit >> 3] ^= (byte) (1 << (bit & 7));
        }
    }

    /**
     * C1: all verify, the chosen read. C2: a later holder leaves slots out, and all still verify.
     */
    @Test
    void laterHoldersNarrowWhoReadsAndTheChainStillVerifies() throws RefusedException {
        History history = new History("k", History.shape(Construction.ONE_LINK), 1).grow(5);
        Place here = new Place(history.identity.chainId(), history.builder.nextSequence());
        SessionKey key = SessionKey.generate(here, random);
        List<KeySlot> slots = KeySlot.wrap(key, tree, Set.of(0, 1, 6), random);
        TreeMap<Bytes, Field> details = new TreeMap<>();
        details.put(Bytes.of("reason"), key.encrypt(NAME, DETAIL));
        TreeMap<Integer, Bytes> opened = new TreeMap<>();
        for (int i = 0; i < slots.size(); i++) {
            opened.put(i, slots.get(i).encode());
        }
        Event event = history.event(EventKind.WRITE);
        EntryRecord record =
                history.add(
                        event.with(
                                key.encrypt(SessionKey.PRINCIPAL, Bytes.of("alice")),
                                details,
                                slots.stream().map(KeySlot::hash).toList(),
                                new Disclosure(new TreeMap<>(), opened)),
                        History.STORE);
        AuditTerms terms = AuditTerms.of(History.keys()).with(history.head());
        assertThat(history.audit(terms).findings()).isEmpty();
        assertThat(reads(record, 0, here)).isTrue();
        assertThat(reads(record, 6, here)).isTrue();
        assertThat(reads(record, 5, here)).isFalse();

        int ofSix = slots.stream().map(KeySlot::node).toList().indexOf(8 + 6);
        EntryRecord narrowed =
                record.with(record.disclosure().narrowed(i -> true, i -> i == ofSix));
        history.records.set(5, EntryRecord.decode(narrowed.encode()));
        assertThat(history.audit(terms).findings()).isEmpty();
        assertThat(reads(history.records.get(5), 0, here)).isFalse();
        assertThat(reads(history.records.get(5), 6, here)).isTrue();
    }

    private boolean reads(EntryRecord record, int auditor, Place here) throws RefusedException {
        List<KeySlot> slots = new ArrayList<>();
        for (Bytes slot : record.disclosure().slots().values()) {
            slots.add(KeySlot.decode(slot));
        }
        Entry entry = record.entry();
        return auditors.auditor(auditor)
                .open(slots, here)
                .flatMap(key -> key.decrypt(NAME, entry.details().get(Bytes.of("reason"))))
                .filter(DETAIL::equals)
                .isPresent();
    }
}
