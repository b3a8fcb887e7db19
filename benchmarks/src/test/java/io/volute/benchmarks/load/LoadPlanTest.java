package io.volute.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.benchmarks.http.AsciiBuffer;
import io.volute.benchmarks.load.LoadPlan.PutKeys;
import io.volute.benchmarks.load.Workload.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class LoadPlanTest {
    private static final SplittableRandom RANDOM = new SplittableRandom(1);

    @Test
    void measuresOnlyBetweenWarmUpAndEnd() {
        LoadPlan plan = plan("--op", "put");

        assertThat(plan.isMeasured(109)).isFalse();
        assertThat(plan.isMeasured(110)).isTrue();
        assertThat(plan.isMeasured(129)).isTrue();
        assertThat(plan.isMeasured(130)).isFalse();
        assertThat(plan.isOver(129)).isFalse();
        assertThat(plan.isOver(130)).isTrue();
    }

    @Test
    void takesEachObjectToDeleteOnceAndThenNoMore() {
        LoadPlan plan = plan("--op", "delete", "--objects", "3");

        assertThat(taken(plan, Operation.DELETE, 5)).containsExactly(0L, 1L, 2L, -1L, -1L);
    }

    @Test
    void lastBatchHoldsTheRest() {
        LoadPlan plan = plan("--op", "multi-delete", "--objects", "25", "--batch", "10");

        assertThat(taken(plan, Operation.MULTI_DELETE, 4)).containsExactly(0L, 1L, 2L, -1L);
        assertThat(LongStream.range(0, 3).mapToInt(plan::keysInBatch)).containsExactly(10, 10, 5);
    }

    @Test
    void pagesOfAllPrefixesHoldEveryObjectOnce() {
        LoadPlan plan =
                plan("--op", "list", "--objects", "103", "--prefixes", "3", "--batch", "10");

        long items = plan.pagesPerPrefix() * 3;
        assertThat(LongStream.range(0, items).map(plan::keysOnPage).sum()).isEqualTo(103);
        assertThat(taken(plan, Operation.LIST, 1000)).allMatch(item -> item >= 0 && item < items);
    }

    @Test
    void pageBeginsBehindTheLastKeyOfThePageBefore() {
        KeySpace keys = new KeySpace("run", 3);
        AsciiBuffer query = new AsciiBuffer();
        AsciiBuffer lastKey = new AsciiBuffer();

        keys.appendPageQuery(query, 2, 1, 10);
        keys.appendKey(lastKey, 2 + 3 * 9);

        assertThat(query.toString())
                .isEqualTo(
                        "list-type=2&max-keys=10&prefix=run%2F002%2F&start-after="
                                + lastKey.toString().replace("/", "%2F"));
    }

    private static List<Long> taken(LoadPlan plan, Operation operation, int count) {
        List<Long> items = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            items.add(plan.nextItem(operation, RANDOM));
        }
        return items;
    }

    private static LoadPlan plan(String... arguments) {
        return new LoadPlan(LoadDriver.parse(arguments).workload(), PutKeys.NEW, 100, 10, 20);
    }
}
