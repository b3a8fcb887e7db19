package io.volute.versioning.cubes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.versioning.Identities;
import io.volute.versioning.Identities.Identity;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.StoreCubes;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two nodes change the identities of a store in turn, and follow the changes of each other. */
class FollowedIdentitiesTest extends CubesFixture {
    private static final Identity KEY = new Identity(1, "key", new byte[] {1});

    private Identities node() {
        return ObjectStores.identitiesOf(systemView(method -> {}));
    }

    private static void revoke(Identities by) throws IOException {
        by.change(List.of(), List.of(KEY), new byte[] {2});
    }

    /** Otherwise a key that the next owner removed would go on working at the one before. */
    @ParameterizedTest
    @EnumSource(
            value = Outcome.class,
            names = {"REFUSED", "LOST", "WRITTEN"})
    void aFailedChangeHidesNoneOfTheNextOwner(Outcome outcome) throws IOException {
        Identities one = node();
        Identities two = node();
        one.change(List.of(KEY), List.of(), new byte[] {1});
        assertThat(two.follow()).isTrue();
        fate = cube -> outcome;
        assertThatThrownBy(() -> revoke(one)).isInstanceOf(IOException.class);
        fate = cube -> Outcome.COMMITTED;
        cubes.release(StoreCubes.SYSTEM);
        cubes.take(StoreCubes.SYSTEM);
        assertThat(two.follow()).as("it was written").isEqualTo(outcome == Outcome.WRITTEN);
        revoke(two);
        assertThat(one.follow()).as("a change of the next owner").isTrue();
        assertThat(one.follow()).isFalse();
        assertThat(one.find(1, "key")).isEmpty();
        long last = outcome == Outcome.WRITTEN ? 3 : 2;
        assertThat(one.changes(0, 9)).hasSize((int) last).last().matches(it -> it.number() == last);
    }
}
