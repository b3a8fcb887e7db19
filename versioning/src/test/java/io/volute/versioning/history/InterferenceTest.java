package io.volute.versioning.history;

import static io.volute.versioning.value.BucketInfo.VersioningState.ENABLED;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.FakeCube;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A write lands exactly between two steps of a read. */
class InterferenceTest extends StoreFixture {

    private interface Write {
        void run() throws IOException;
    }

    private void duringNextRead(Write write) {
        ((FakeCube) cube)
                .afterNextRead(
                        () -> {
                            try {
                                write.run();
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        });
    }

    private List<Long> listedNumbers() throws IOException {
        return store
                .listVersions(ALICE, BUCKET, new VersionQuery("", "", "", Optional.empty(), 9))
                .versions()
                .stream()
                .map(ObjectVersion::number)
                .toList();
    }

    @Test
    void aVersionThatBecomesCurrentBetweenTwoLooksIsFound() throws IOException {
        versioning(ENABLED);
        ObjectVersion stays = put("a", "stays");
        ObjectVersion above = put("a", "above");
        duringNextRead(() -> delete("a", number(above)));
        assertThat(head("a", number(stays))).isPresent();
    }

    @Test
    void aNullVersionThatBecomesCurrentBetweenTwoLooksIsFound() throws IOException {
        put("a", "stays");
        versioning(ENABLED);
        ObjectVersion above = put("a", "above");
        duringNextRead(() -> delete("a", number(above)));
        assertThat(get("a", VersionSelector.NULL)).isEqualTo("stays");
    }

    @Test
    void anObjectOverwrittenBeforeItsBlobIsOpenedIsReadAnew() throws IOException {
        put("a", "one");
        duringNextRead(() -> put("a", "two"));
        assertThat(get("a")).isEqualTo("two");
    }

    @Test
    void anObjectOverwrittenBeforeItsDetailIsReadIsReadAnew() throws IOException {
        TreeMap<String, String> metadata = new TreeMap<>(Map.of("note", "x".repeat(500)));
        ObjectAttributes large =
                new ObjectAttributes(
                        md5("one"), new TreeMap<>(), metadata, new TreeMap<>(), Optional.empty());
        ObjectVersion first =
                store.put(ALICE, BUCKET, key("a"), body("one"), large, WriteCondition.NONE);
        duringNextRead(() -> put("a", "two"));
        assertThat(head("a").orElseThrow().number()).isGreaterThan(first.number());
    }

    @Test
    void aListingKeepsAVersionThatBecomesCurrentMeanwhile() throws IOException {
        versioning(ENABLED);
        ObjectVersion stays = put("a", "stays");
        ObjectVersion above = put("a", "above");
        duringNextRead(() -> delete("a", number(above)));
        assertThat(listedNumbers()).containsExactly(stays.number());
    }

    @Test
    void aListingShowsAVersionThatIsOverwrittenMeanwhileOnce() throws IOException {
        versioning(ENABLED);
        ObjectVersion first = put("a", "one");
        ObjectVersion second = put("a", "two");
        duringNextRead(() -> put("a", "three"));
        assertThat(listedNumbers()).containsExactly(second.number(), first.number());
    }
}
