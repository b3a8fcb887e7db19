package io.volute.versioning.object;

import static io.volute.versioning.value.BucketInfo.VersioningState.ENABLED;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.ObjectStore.DeleteOutcome;
import io.volute.versioning.ObjectStore.DeleteTarget;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.WriteCondition;
import io.volute.versioning.value.WriteCondition.IfAbsent;
import io.volute.versioning.value.WriteCondition.IfMatch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Conditions on writes, and deletions of many keys. */
public class ConditionalWritesTest extends StoreFixture {

    @Test
    void ifAbsentCreatesOnce() throws IOException {
        put("a", "one", new IfAbsent());
        refused(Reason.PRECONDITION_FAILED, () -> put("a", "two", new IfAbsent()));
        assertThat(get("a")).isEqualTo("one");
    }

    @Test
    void deleteMarkerCountsAsAbsent() throws IOException {
        versioning(ENABLED);
        put("a", "one");
        delete("a");
        refused(Reason.CONDITION_ON_MISSING_KEY, () -> put("a", "two", new IfMatch("*")));
        put("a", "three", new IfAbsent());
        assertThat(get("a")).isEqualTo("three");
        assertThat(chain()).containsExactly("a id*", "a id-", "a id");
    }

    @Test
    void ifMatchComparesTheCurrentEtagWithOrWithoutQuotes() throws IOException {
        put("a", "one");
        put("a", "two", new IfMatch(md5("one")));
        put("a", "three", new IfMatch('"' + md5("two") + '"'));
        put("a", "four", new IfMatch("*"));
        refused(Reason.PRECONDITION_FAILED, () -> put("a", "x", new IfMatch(md5("one"))));
        assertThat(get("a")).isEqualTo("four");
    }

    @Test
    void ifMatchOnMissingKeySaysSo() {
        refused(Reason.CONDITION_ON_MISSING_KEY, () -> put("a", "one", new IfMatch(md5("one"))));
    }

    @Test
    void refusedPutLeavesNothing() throws IOException {
        put("a", "one");
        refused(Reason.PRECONDITION_FAILED, () -> put("a", "two", new IfAbsent()));
        assertLiveBlobs(1);
    }

    @Test
    void conditionalDeleteDecidesOnTheVersionMeant() throws IOException {
        put("a", "one");
        DeleteTarget wrong = new DeleteTarget(key("a"), LATEST, new IfMatch(md5("two")));
        DeleteTarget missing = new DeleteTarget(key("b"), LATEST, new IfMatch(md5("two")));
        DeleteTarget right = new DeleteTarget(key("a"), LATEST, new IfMatch(md5("one")));
        refused(Reason.PRECONDITION_FAILED, () -> deleteOne(wrong));
        refused(Reason.CONDITION_ON_MISSING_KEY, () -> deleteOne(missing));
        deleteOne(right);
        assertThat(head("a")).isEmpty();
    }

    private void deleteOne(DeleteTarget target) throws IOException {
        assertThat(
                        store.delete(
                                        ALICE,
                                        BUCKET,
                                        target.key(),
                                        target.selector(),
                                        target.condition())
                                .version())
                .isPresent();
    }

    @Test
    void deleteAllIsOneCommitWithOutcomesInOrder() throws IOException {
        put("a", "one");
        put("b", "two");
        long before = cube.stats().commits();
        List<DeleteOutcome> outcomes =
                store.deleteAll(
                        ALICE,
                        BUCKET,
                        List.of(
                                target("b"),
                                new DeleteTarget(key("a"), LATEST, new IfMatch("wrong")),
                                target("missing"),
                                target("a")));
        assertThat(outcomes).hasSize(4);
        assertThat(removedKeys(outcomes)).containsExactly("b", "refused", "-", "a");
        assertThat(cube.stats().commits() - before).isEqualTo(1);
        assertThat(chain()).isEmpty();
    }

    @Test
    void deleteAllHandlesTheSameKeyInOrder() throws IOException {
        versioning(ENABLED);
        ObjectVersion first = put("a", "one");
        ObjectVersion second = put("a", "two");
        long before = cube.stats().commits();
        List<DeleteOutcome> outcomes =
                store.deleteAll(
                        ALICE,
                        BUCKET,
                        List.of(
                                new DeleteTarget(key("a"), number(second), WriteCondition.NONE),
                                target("a"),
                                new DeleteTarget(key("a"), number(first), WriteCondition.NONE),
                                new DeleteTarget(key("a"), number(first), WriteCondition.NONE)));
        assertThat(removedKeys(outcomes)).containsExactly("a", "a marker", "a", "-");
        assertThat(chain()).containsExactly("a id*-");
        assertThat(cube.stats().commits() - before).isEqualTo(1);
        assertLiveBlobs(0);
    }

    @Test
    void deleteAllEmptiesAVersionedKeyInAnyOrder() throws IOException {
        versioning(ENABLED);
        List<DeleteTarget> targets = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            ObjectVersion version =
                    i % 3 == 0 ? delete("a").version().orElseThrow() : put("a", "v" + i);
            targets.add(i % 2, new DeleteTarget(key("a"), number(version), WriteCondition.NONE));
            if (i == 0) {
                targets.add(target("other"));
            }
        }
        assertThat(store.deleteAll(ALICE, BUCKET, targets)).hasSize(41);
        assertThat(chain()).containsExactly("other id*-");
    }

    @Test
    void deleteAllRefusesMoreThanAThousand() {
        List<DeleteTarget> targets = new ArrayList<>();
        for (int i = 0; i <= 1000; i++) {
            targets.add(target("k" + i));
        }
        refused(Reason.INVALID_ARGUMENT, () -> store.deleteAll(ALICE, BUCKET, targets));
    }

    private static DeleteTarget target(String key) {
        return new DeleteTarget(key(key), LATEST, WriteCondition.NONE);
    }

    private static List<String> removedKeys(List<DeleteOutcome> outcomes) {
        return outcomes.stream().map(ConditionalWritesTest::removedKey).toList();
    }

    private static String removedKey(DeleteOutcome outcome) {
        return switch (outcome) {
            case DeleteOutcome.Deleted deleted ->
                    deleted.result().version().map(ConditionalWritesTest::named).orElse("-");
            case DeleteOutcome.Refused refused -> "refused";
        };
    }

    private static String named(ObjectVersion version) {
        return version.key().value() + (version.deleteMarker() ? " marker" : "");
    }
}
