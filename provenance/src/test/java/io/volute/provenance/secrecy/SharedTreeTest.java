package io.volute.provenance.secrecy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.Field;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A tree of auditors who made their own keys. */
@Tag("slow")
class SharedTreeTest {
    private static final Bytes SECRET = Bytes.of("alice moved it");
    private static final Place PLACE = new Place(Hash.ZERO, 7);

    private final SecureRandom random = new SecureRandom();

    private List<AuditorKey> keys(int count) {
        return Stream.generate(() -> AuditorKey.generate(random)).limit(count).toList();
    }

    private SharedTree tree(List<AuditorKey> keys) {
        return SharedTree.plant(keys.stream().map(AuditorKey::publicKey).toList(), random);
    }

    private Optional<Bytes> read(
            SharedTree tree, AuditorKey key, List<KeySlot> slots, Field field) {
        return tree.auditor(key)
                .flatMap(auditor -> auditor.open(slots, PLACE))
                .flatMap(opened -> opened.decrypt("principal", field));
    }

    @Test
    void eachAuditorReadsWithOneSlotHoweverManyThereAre() throws RefusedException {
        for (int count : List.of(1, 2, 3, 4, 5, 7, 8, 33, 64)) {
            List<AuditorKey> keys = keys(count);
            SharedTree tree = SharedTree.decode(tree(keys).encode());
            SessionKey session = SessionKey.generate(PLACE, random);
            Field field = session.encrypt("principal", SECRET);
            List<KeySlot> slots = tree.wrap(session, random);
            assertThat(slots).as("of %d auditors", count).hasSize(1);
            for (AuditorKey key : keys) {
                assertThat(read(tree, key, slots, field)).contains(SECRET);
            }
            assertThat(read(tree, AuditorKey.generate(random), slots, field)).isEmpty();
        }
    }

    @Test
    void aRemovedAuditorCannotReadWhatIsForTheTreeWithoutHim() {
        List<AuditorKey> keys = keys(3);
        SharedTree before = tree(keys);
        SharedTree after = tree(keys.subList(0, 2));
        SessionKey session = SessionKey.generate(PLACE, random);
        Field field = session.encrypt("principal", SECRET);
        List<KeySlot> slots = after.wrap(session, random);
        AuditorKey removed = keys.get(2);
        assertThat(after.auditor(removed)).isEmpty();
        // The keys of the removed auditor's old tree do not help either.
        assertThat(before.auditor(removed).orElseThrow().open(slots, PLACE)).isEmpty();
        assertThat(read(after, keys.get(0), slots, field)).contains(SECRET);
    }

    @Test
    void fewerThanNeededReadNothing() {
        List<AuditorKey> keys = keys(5);
        SharedTree tree = tree(keys);
        SessionKey session = SessionKey.generate(PLACE, random);
        Field field = session.encrypt("principal", SECRET);
        List<KeySlot> slots = tree.wrapShares(session, 3, random);
        assertThat(slots).hasSize(5);
        for (int group = 0; group < 32; group++) {
            List<Auditor.Share> shares = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                if ((group >> i & 1) == 1) {
                    shares.addAll(tree.auditor(keys.get(i)).orElseThrow().shares(slots, PLACE));
                }
            }
            Optional<Bytes> read =
                    Auditor.join(shares, PLACE)
                            .flatMap(joined -> joined.decrypt("principal", field));
            assertThat(read.isPresent()).as("group %d", group).isEqualTo(shares.size() >= 3);
        }
    }

    @Test
    void hasOneEncodingAndNoBitOfItCanBeChangedForAReader() {
        List<AuditorKey> keys = keys(3);
        SharedTree tree = tree(keys);
        byte[] bytes = tree.encode().toArray();
        SessionKey session = SessionKey.generate(PLACE, random);
        List<KeySlot> slots = tree.wrap(session, random);
        int refused = 0;
        for (int bit = 0; bit < bytes.length * 8; bit += 5) {
            bytes[bit >> 3] ^= (byte) (1 << (bit & 7));
            try {
                SharedTree other = SharedTree.decode(Bytes.of(bytes));
                assertThat(other.encode()).isEqualTo(Bytes.of(bytes));
                // A misled auditor reads nothing, never another secret.
                for (AuditorKey key : keys) {
                    other.auditor(key)
                            .flatMap(auditor -> auditor.open(slots, PLACE))
                            .ifPresent(
                                    opened ->
                                            assertThat(opened.secret())
                                                    .isEqualTo(session.secret()));
                }
            } catch (RefusedException e) {
                refused++;
            }
            bytes[bit >> 3] ^= (byte) (1 << (bit & 7));
        }
        assertThat(refused).isPositive();
        assertThatThrownBy(() -> SharedTree.decode(Bytes.of(new byte[40])))
                .isInstanceOf(RefusedException.class);
    }

    @Test
    void plantsNoneForNobodyTooManyOrOneTwice() {
        AuditorKey key = AuditorKey.generate(random);
        List<AuditorKey> twice = List.of(key, key);
        List<AuditorKey> many = keys(SharedTree.AUDITORS_MAX + 1);
        assertThatThrownBy(() -> tree(List.of())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> tree(twice)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> tree(many)).isInstanceOf(IllegalArgumentException.class);
        Bytes zero = Bytes.of(new byte[32]);
        List<Bytes> none = List.of(key.publicKey(), zero);
        assertThatThrownBy(() -> SharedTree.plant(none, random))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
