package io.volute.server.encryption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.keys.MasterKey;
import io.volute.server.encryption.DataKeys.Made;
import io.volute.server.encryption.KeyGoneException.Reason;
import io.volute.versioning.Openings.Fit;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The keys that wrap data keys. */
final class KeyringTest {
    private static final ObjectName OBJECT = new ObjectName("bucket", 1, "key");
    private static final ObjectName OTHER = new ObjectName("bucket", 1, "other");

    private final MemoryPlace place = new MemoryPlace();
    private MasterKey master;
    private Keyring keyring;

    @BeforeEach
    void open() throws IOException {
        master = MemoryPlace.master();
        keyring = reopened();
    }

    private Keyring reopened() throws IOException {
        return Keyring.open(place, master, new SecureRandom());
    }

    private static DataKeys keys(Keyring keyring) {
        return new DataKeys(keyring, Optional.empty());
    }

    private static Reason refusal(
            Keyring keyring, WrappedKey key, ObjectName object, Optional<byte[]> customer) {
        try {
            DataKey unused = keys(keyring).open(key, object, customer);
        } catch (KeyGoneException e) {
            return e.reason();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        throw new AssertionError("opened");
    }

    @Test
    void aDataKeyOpensAfterAStart() throws IOException {
        Made made = keys(keyring).make(OBJECT, Keyring.DEFAULT_KEY, EncryptionContext.NONE);
        DataKey opened = keys(reopened()).open(made.wrapped(), OBJECT, Optional.empty());
        assertThat(opened.secret()).isEqualTo(made.key().secret());
    }

    @Test
    void aDataKeyOpensForItsObjectAlone() throws IOException {
        Made made = keys(keyring).make(OBJECT, Keyring.DEFAULT_KEY, EncryptionContext.NONE);
        assertThat(refusal(keyring, made.wrapped(), OTHER, Optional.empty()))
                .isEqualTo(Reason.UNKNOWN_KEY);
    }

    @Test
    void aDataKeyOpensWithItsContextAlone() throws IOException {
        EncryptionContext context = EncryptionContext.of(Map.of("team", "hr"));
        WrappedKey made = keys(keyring).make(OBJECT, Keyring.DEFAULT_KEY, context).wrapped();
        assertThat(keys(keyring).open(made, OBJECT, Optional.empty())).isNotNull();
        for (EncryptionContext other :
                List.of(
                        EncryptionContext.NONE,
                        EncryptionContext.of(Map.of("team", "it")),
                        EncryptionContext.of(Map.of("team", "hr", "more", "")))) {
            WrappedKey changed =
                    new WrappedKey(
                            made.name(),
                            made.version(),
                            made.bucketId(),
                            made.generation(),
                            other,
                            made.form());
            assertThat(refusal(keyring, changed, OBJECT, Optional.empty()))
                    .isEqualTo(Reason.UNKNOWN_KEY);
        }
    }

    @Test
    void aCustomersKeyIsNeededAgain() throws IOException {
        byte[] customer = new byte[32];
        Made made = keys(keyring).make(OBJECT, customer);
        assertThat(keys(keyring).open(made.wrapped(), OBJECT, Optional.of(customer)).secret())
                .isEqualTo(made.key().secret());
        byte[] wrong = customer.clone();
        wrong[31] = 1;
        assertThat(refusal(keyring, made.wrapped(), OBJECT, Optional.of(wrong)))
                .isEqualTo(Reason.OTHER_KEY);
        assertThat(refusal(keyring, made.wrapped(), OBJECT, Optional.empty()))
                .isEqualTo(Reason.UNKNOWN_KEY);
    }

    @Test
    void aRotationKeepsWhatOlderVersionsWrapped() throws IOException {
        keyring.require(List.of("reports"));
        Made before = keys(keyring).make(OBJECT, "reports", EncryptionContext.NONE);
        assertThat(keyring.rotate("reports")).isEqualTo(2);
        Made after = keys(keyring).make(OBJECT, "reports", EncryptionContext.NONE);
        assertThat(before.wrapped().version()).isEqualTo(1);
        assertThat(after.wrapped().version()).isEqualTo(2);
        for (Made made : List.of(before, after)) {
            assertThat(keys(reopened()).open(made.wrapped(), OBJECT, Optional.empty()).secret())
                    .isEqualTo(made.key().secret());
        }
        assertThat(keyring.names()).containsEntry("reports", 2).containsKey(Keyring.DEFAULT_KEY);
    }

    @Test
    void aShredDestroysAllStatesOfItsKeyAndNothingElse() throws IOException {
        byte[] customer = new byte[32];
        Made first = keys(keyring).make(OBJECT, Keyring.DEFAULT_KEY, EncryptionContext.NONE);
        Made second = keys(keyring).make(OBJECT, customer);
        Made other = keys(keyring).make(OTHER, Keyring.DEFAULT_KEY, EncryptionContext.NONE);
        Shreds.shred(keyring, OBJECT, 0);
        for (Keyring each : List.of(keyring, reopened())) {
            assertThat(refusal(each, first.wrapped(), OBJECT, Optional.empty()))
                    .isEqualTo(Reason.SHREDDED);
            assertThat(refusal(each, second.wrapped(), OBJECT, Optional.of(customer)))
                    .isEqualTo(Reason.SHREDDED);
            assertThat(keys(each).open(other.wrapped(), OTHER, Optional.empty()).secret())
                    .isEqualTo(other.key().secret());
        }
    }

    @Test
    void aShreddedKeyCanBeWrittenAndShreddedAgain() throws IOException {
        Shreds.shred(keyring, OBJECT, 0);
        Made made = keys(keyring).make(OBJECT, Keyring.DEFAULT_KEY, EncryptionContext.NONE);
        assertThat(made.wrapped().generation()).isEqualTo(1);
        assertThat(keys(reopened()).open(made.wrapped(), OBJECT, Optional.empty()).secret())
                .isEqualTo(made.key().secret());
        Shreds.shred(keyring, OBJECT, 0, 1);
        assertThat(refusal(keyring, made.wrapped(), OBJECT, Optional.empty()))
                .isEqualTo(Reason.SHREDDED);
    }

    @Test
    void anOpenedKeyIsKept() throws IOException {
        keyring.require(List.of("reports"));
        for (String name : List.of("reports", Keyring.DEFAULT_KEY)) {
            Made made = keys(keyring).make(OBJECT, name, EncryptionContext.NONE);
            DataKey opened = keys(keyring).open(made.wrapped(), OBJECT, Optional.empty());
            assertThat(keys(keyring).open(made.wrapped(), OBJECT, Optional.empty()))
                    .isSameAs(opened);
            assertThat(refusal(keyring, made.wrapped(), OTHER, Optional.empty()))
                    .isEqualTo(Reason.UNKNOWN_KEY);
            EncryptionContext context = EncryptionContext.of(Map.of("team", "it"));
            assertThat(
                            refusal(
                                    keyring,
                                    new WrappedKey(
                                            name,
                                            1,
                                            OptionalLong.of(1),
                                            0,
                                            context,
                                            made.wrapped().form()),
                                    OBJECT,
                                    Optional.empty()))
                    .isEqualTo(Reason.UNKNOWN_KEY);
        }
    }

    @Test
    void aShredOfABucketLeavesTheEarlierOneOfItsName() throws IOException {
        DataKeys keys = keys(keyring);
        ObjectName earlier = new ObjectName("bucket", 1, "key");
        ObjectName later = new ObjectName("bucket", 2, "key");
        WrappedKey kept = keys.make(earlier, Keyring.DEFAULT_KEY, EncryptionContext.NONE).wrapped();
        WrappedKey shredded =
                keys.make(later, Keyring.DEFAULT_KEY, EncryptionContext.NONE).wrapped();
        assertThat(keyring.shred(later, List.of(shredded))).containsExactly(later.leaf(shredded));
        assertThat(keyring.fit(shredded, later, true)).isEqualTo(Fit.ERASED);
        assertThat(keyring.fit(kept, new ObjectName("bucket", "key"), true)).isEqualTo(Fit.OPENS);
    }

    @Test
    void dataKeysThatHangOnTheNameOfTheBucketFitAndAreShredded() throws IOException {
        keyring.make();
        WrappedKey byName =
                new WrappedKey(
                        Keyring.DEFAULT_KEY,
                        1,
                        OptionalLong.empty(),
                        0,
                        EncryptionContext.NONE,
                        new WrappedKey.ByService("x"));
        assertThat(keyring.fit(byName, OBJECT, true)).isEqualTo(Fit.OPENS);
        assertThat(keyring.shred(OBJECT, List.of(byName))).hasSize(1);
        assertThat(keyring.fit(byName, OBJECT, true)).isEqualTo(Fit.ERASED);
    }

    @Test
    void anotherKeyringFitsNothing() throws IOException {
        DataKeys keys = keys(keyring);
        WrappedKey made = keys.make(OBJECT, Keyring.DEFAULT_KEY, EncryptionContext.NONE).wrapped();
        Keyring other = Keyring.open(new MemoryPlace(), MemoryPlace.master(), new SecureRandom());
        assertThat(other.fit(made, OBJECT, true)).isEqualTo(Fit.OTHER);
        other.make();
        assertThat(other.fit(made, OBJECT, true)).isEqualTo(Fit.OTHER);
    }

    @Test
    void aShredTakesOpenedKeysToo() throws IOException {
        Made made = keys(keyring).make(OBJECT, Keyring.DEFAULT_KEY, EncryptionContext.NONE);
        assertThat(keys(keyring).open(made.wrapped(), OBJECT, Optional.empty())).isNotNull();
        Shreds.shred(keyring, OBJECT, 0);
        assertThat(refusal(keyring, made.wrapped(), OBJECT, Optional.empty()))
                .isEqualTo(Reason.SHREDDED);
    }

    @Test
    void aCustomerProvesItsKeyEachTime() throws IOException {
        byte[] customer = new byte[32];
        Made made = keys(keyring).make(OBJECT, customer);
        DataKey opened = keys(keyring).open(made.wrapped(), OBJECT, Optional.of(customer));
        assertThat(keys(keyring).open(made.wrapped(), OBJECT, Optional.of(customer)))
                .isNotSameAs(opened);
        assertThat(refusal(keyring, made.wrapped(), OBJECT, Optional.of(new byte[] {1})))
                .isEqualTo(Reason.OTHER_KEY);
    }

    /** More keys than the keyring keeps opened. */
    @Test
    @Tag("slow")
    void openedKeysReplaceEachOther() throws IOException {
        List<Made> all = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            all.add(keys(keyring).make(OBJECT, Keyring.DEFAULT_KEY, EncryptionContext.NONE));
        }
        for (int round = 0; round < 2; round++) {
            for (Made each : all) {
                assertThat(keys(keyring).open(each.wrapped(), OBJECT, Optional.empty()).secret())
                        .isEqualTo(each.key().secret());
            }
        }
    }

    /** A shred that was not saved has not happened, and the caller gets the failure. */
    @Test
    void aShredThatCannotBeSavedChangesNothing() throws IOException {
        Made made = keys(keyring).make(OBJECT, Keyring.DEFAULT_KEY, EncryptionContext.NONE);
        place.fill();
        assertThatThrownBy(() -> Shreds.shred(keyring, OBJECT, 0)).hasMessageContaining("full");
        assertThat(keys(keyring).open(made.wrapped(), OBJECT, Optional.empty()).secret())
                .isEqualTo(made.key().secret());
    }

    /** An object must not be written with a key that a crash would lose. */
    @Test
    void nothingIsWrappedBeforeTheKeyringIsSaved() {
        place.fill();
        assertThatThrownBy(
                        () ->
                                keys(keyring)
                                        .make(OBJECT, Keyring.DEFAULT_KEY, EncryptionContext.NONE))
                .hasMessageContaining("full");
    }

    @Test
    void aCopyIsWrappedForItsOwnObject() throws IOException {
        Made made = keys(keyring).make(OBJECT, Keyring.DEFAULT_KEY, EncryptionContext.NONE);
        WrappedKey copy =
                keys(keyring).wrap(made.key(), OTHER, Keyring.DEFAULT_KEY, EncryptionContext.NONE);
        Shreds.shred(keyring, OBJECT, 0);
        assertThat(keys(keyring).open(copy, OTHER, Optional.empty()).secret())
                .isEqualTo(made.key().secret());
    }

    @Test
    void anotherMasterKeyOrADamagedFileIsRefused() throws IOException {
        keyring.require(List.of("reports"));
        MasterKey other = MemoryPlace.master();
        assertThatThrownBy(() -> Keyring.open(place, other, new SecureRandom()))
                .hasMessageContaining("another master key");
        byte[] damaged = place.sealed().toArray();
        damaged[damaged.length / 2] ^= 1;
        place.set(Bytes.of(damaged));
        assertThatThrownBy(this::reopened).hasMessageContaining("damaged");
    }

    /** Another server with the same keyring has changed it since it was read. */
    @Test
    void aChangeIsMadeToTheKeyringOfNow() throws IOException {
        Made made = keys(keyring).make(OBJECT, Keyring.DEFAULT_KEY, EncryptionContext.NONE);
        Keyring other = reopened();
        other.require(List.of("reports", "photos"));
        assertThat(keyring.rotate("reports")).isEqualTo(2);
        Shreds.shred(keyring, OBJECT, 0);
        other.require(List.of("reports", "papers"));
        assertThat(other.names().keySet())
                .containsExactly(Keyring.DEFAULT_KEY, "papers", "photos", "reports");
        assertThat(other.names()).containsEntry("reports", 2);
        assertThat(refusal(other, made.wrapped(), OBJECT, Optional.empty()))
                .isEqualTo(Reason.SHREDDED);
    }

    @Test
    void aKeyringThatTwoServersNeedFirstIsMadeOnce() throws IOException {
        Keyring other = reopened();
        Made first = keys(keyring).make(OBJECT, Keyring.DEFAULT_KEY, EncryptionContext.NONE);
        Made second = keys(other).make(OBJECT, Keyring.DEFAULT_KEY, EncryptionContext.NONE);
        for (Keyring each : List.of(keyring, other, reopened())) {
            for (Made made : List.of(first, second)) {
                assertThat(keys(each).open(made.wrapped(), OBJECT, Optional.empty()).secret())
                        .isEqualTo(made.key().secret());
            }
        }
    }

    @Test
    void aServerWithoutAKeyringFindsTheOneOfAnother() throws IOException {
        Keyring other = reopened();
        Made made = keys(keyring).make(OBJECT, Keyring.DEFAULT_KEY, EncryptionContext.NONE);
        assertThat(keys(other).open(made.wrapped(), OBJECT, Optional.empty()).secret())
                .isEqualTo(made.key().secret());
    }

    @Test
    void aRefreshForgetsOpenedKeysThatAreGone() throws IOException {
        Made made = keys(keyring).make(OBJECT, Keyring.DEFAULT_KEY, EncryptionContext.NONE);
        Keyring other = reopened();
        DataKey opened = keys(other).open(made.wrapped(), OBJECT, Optional.empty());
        int before = other.refresh();
        assertThat(keys(other).open(made.wrapped(), OBJECT, Optional.empty())).isSameAs(opened);
        Shreds.shred(keyring, OBJECT, 0);
        assertThat(other.refresh()).isEqualTo(before + 1);
        assertThat(refusal(other, made.wrapped(), OBJECT, Optional.empty()))
                .isEqualTo(Reason.SHREDDED);
    }

    @Test
    void aRepeatedShredChangesNothing() throws IOException {
        Shreds.shred(keyring, OBJECT, 0);
        Bytes once = place.sealed();
        Made later = keys(keyring).make(OBJECT, Keyring.DEFAULT_KEY, EncryptionContext.NONE);
        Shreds.shred(keyring, OBJECT, 0);
        assertThat(place.sealed()).isEqualTo(once);
        assertThat(keys(keyring).open(later.wrapped(), OBJECT, Optional.empty()).secret())
                .isEqualTo(later.key().secret());
    }

    /** A change may not put an older keyring in the place of one that was lost. */
    @Test
    void aKeyringThatIsLostIsNotMadeAgain() throws IOException {
        keyring.require(List.of("reports"));
        place.lose();
        assertThatThrownBy(() -> keyring.refresh()).hasMessageContaining("gone");
        assertThatThrownBy(() -> keyring.rotate("reports")).hasMessageContaining("gone");
        assertThat(place.load()).isEmpty();
    }
}
