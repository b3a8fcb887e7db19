package io.volute.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.Limits;
import io.volute.server.http.MemoryBudget.Holding;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tests the shares of heap, the order in which slow clients go, and that all of it comes back. */
class MemoryBudgetTest {
    private static final long KIB = 1024;
    private static final long ALL = 1000 * KIB;
    private static final Runnable NOTHING = () -> {};

    private final AtomicLong now = new AtomicLong();
    private final MemoryBudget budget = new MemoryBudget(ALL, 100 * KIB, now::get);

    private Holding of(String network, String caller) {
        Holding holding = budget.holding(network, NOTHING);
        if (!caller.isEmpty()) {
            holding.authenticated(caller, caller.equals("root"));
        }
        return holding;
    }

    /** Takes as much as there is for it; returns how much. */
    private long fill(String network, String caller) {
        Holding holding = of(network, caller);
        while (holding.tryTake(KIB)) {
            assertThat(budget.usage().held()).isPositive();
        }
        return holding.bytes();
    }

    @Test
    void aNetworkLeavesSomeForOthers() {
        assertThat(fill("a", "u0")).isBetween(ALL / 2, ALL * 2 / 3 + KIB);
        for (int i = 1; i < 100; i++) {
            fill("a", "u" + i);
        }
        assertThat(fill("b", "other")).isGreaterThan(ALL / 6);
    }

    /** Few networks that come one after another leave something for small requests. */
    @Test
    void networksOneAfterAnotherLeaveSomeForOthers() {
        for (int i = 0; i < 8; i++) {
            fill("net" + i, "");
            fill("net" + i, "u" + i);
            while (of("net" + i, "u" + i).tryTake(1)) {
                assertThat(budget.usage().held()).isPositive();
            }
        }
        assertThat(of("other", "").tryTake(KIB)).isTrue();
        assertThat(of("next", "next").tryTake(20 * KIB)).isTrue();
    }

    @Test
    void aCallerLeavesSomeForOthers() {
        for (int i = 0; i < 100; i++) {
            fill("net" + i, "one");
        }
        assertThat(fill("b", "other")).isGreaterThan(ALL / 6);
    }

    @Test
    void unknownCallersHaveAPartAtMost() {
        for (int i = 0; i < 200; i++) {
            fill("net" + i, "");
        }
        assertThat(budget.usage().unauthenticated()).isBetween(95 * KIB, 100 * KIB);
        assertThat(fill("net0", "known")).isGreaterThan(ALL / 2);
        MemoryBudget fresh = new MemoryBudget(ALL, 100 * KIB, now::get);
        Holding stranger = fresh.holding("a", NOTHING);
        assertThat(stranger.tryTake(101 * KIB)).isFalse();
        assertThat(stranger.tryTake(90 * KIB)).isTrue();
        stranger.authenticated("alice", false);
        assertThat(fresh.usage().unauthenticated()).isZero();
        assertThat(fresh.usage().held()).isEqualTo(90 * KIB);
    }

    @Test
    void theRootHasAReserve() {
        for (int i = 0; i < 2000; i++) {
            fill("net" + i, "u" + i);
        }
        assertThat(of("other", "other").tryTake(100 * KIB)).isFalse();
        Holding root = of("net0", "root");
        assertThat(root.tryTake(Limits.ROOT_HEAP_BYTES_MAX)).isTrue();
        assertThat(of("net0", "root").tryTake(100 * KIB)).isFalse();
    }

    @Test
    void anAnswerHoldsItsWeightInPlaceOfWhatMadeIt() {
        Holding holding = of("a", "u");
        assertThat(holding.take(100 * KIB)).isTrue();
        assertThat(holding.sends(10 * KIB)).isTrue();
        assertThat(budget.usage().held()).isEqualTo(10 * KIB);
        Holding longer = of("a", "u");
        assertThat(longer.sends(20 * KIB)).isTrue();
        assertThat(budget.usage().held()).isEqualTo(30 * KIB);
        holding.close();
        longer.close();
        assertThat(budget.usage().held()).isZero();
        assertThat(budget.usage().holders()).isZero();
    }

    /** Those that hold most for the least progress go first, and no more than are needed. */
    @Test
    void slowReadersAreCutOff() {
        List<String> cut = new ArrayList<>();
        List<Holding> open = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            String name = "slow" + i;
            Holding slow = budget.holding("net" + i, () -> cut.add(name));
            slow.authenticated("u" + i, false);
            assertThat(slow.sends((i + 1) * 10 * KIB)).isTrue();
            open.add(slow);
        }
        Holding fast = budget.holding("fast", () -> cut.add("fast"));
        fast.authenticated("fast", false);
        assertThat(fast.sends(300 * KIB)).isTrue();
        assertThat(fill("filler", "filler")).isPositive();
        now.addAndGet(TimeUnit.MILLISECONDS.toNanos(500));
        Holding asking = of("other", "other");
        assertThat(asking.tryTake(150 * KIB)).isFalse();
        assertThat(cut).isEmpty();
        now.addAndGet(TimeUnit.SECONDS.toNanos(2));
        fast.written(10_000_000);
        open.get(9).written(80_000);
        assertThat(asking.tryTake(150 * KIB)).isFalse();
        assertThat(cut).containsExactly("slow8", "slow7");
        assertThat(asking.tryTake(150 * KIB)).isFalse();
        assertThat(cut).as("their heap is on its way").hasSize(2);
        open.get(8).close();
        open.get(7).close();
        assertThat(asking.tryTake(150 * KIB)).isTrue();
        assertThat(budget.usage().cut()).isEqualTo(2);
    }

    /** A caller that is short of its own share loses its own answers alone. */
    @Test
    void aShareIsFreedByItsOwnAnswers() {
        List<String> cut = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            String name = i == 0 ? "stranger" : "user";
            Holding each = budget.holding("net" + i, () -> cut.add(name));
            if (i == 1) {
                each.authenticated("user", false);
            }
            assertThat(each.sends(60 * KIB)).isTrue();
        }
        now.addAndGet(TimeUnit.SECONDS.toNanos(2));
        assertThat(of("other", "").tryTake(60 * KIB)).isFalse();
        assertThat(cut).containsExactly("stranger");
    }

    @Test
    void aRequestWaitsForWhatIsReturned() throws Exception {
        Holding first = of("a", "u");
        assertThat(first.take(ALL * 2 / 3)).isTrue();
        Holding second = of("b", "v");
        CompletableFuture<Boolean> taken =
                CompletableFuture.supplyAsync(() -> second.take(ALL * 2 / 3));
        while (budget.usage().waiting() == 0) {
            Thread.onSpinWait();
        }
        first.close();
        assertThat(taken.get(60, TimeUnit.SECONDS)).isTrue();
        second.close();
        assertThat(budget.usage().held()).isZero();
    }

    @Test
    void everyScheduleEndsAtZero() {
        for (int seed = 0; seed < 300; seed++) {
            Schedule schedule = new Schedule(seed);
            for (int step = 0; step < 300; step++) {
                schedule.step();
            }
            schedule.end();
        }
    }

    /** Requests in any order: taken, made, read slowly or not, cancelled, and cut off. */
    private static final class Schedule {
        private final int seed;
        private final Random random;
        private final AtomicLong now = new AtomicLong();
        private final MemoryBudget budget = new MemoryBudget(ALL, ALL / 4, now::get);
        private final List<Holding> open = new ArrayList<>();
        private final List<Holding> lost = new ArrayList<>();

        Schedule(int seed) {
            this.seed = seed;
            this.random = new Random(seed);
        }

        void step() {
            now.addAndGet(random.nextInt(1_000_000_000));
            if (open.isEmpty() || random.nextInt(4) == 0) {
                Holding[] self = new Holding[1];
                self[0] = budget.holding("net" + random.nextInt(5), () -> lost.add(self[0]));
                open.add(self[0]);
            }
            Holding each = open.get(random.nextInt(open.size()));
            switch (random.nextInt(7)) {
                case 0 -> each.authenticated("u" + random.nextInt(4), random.nextInt(8) == 0);
                case 1, 2 -> {
                    long before = each.bytes();
                    boolean taken = each.tryTake(random.nextInt((int) ALL / 3));
                    assertThat(taken || each.bytes() == before).as("seed %d", seed).isTrue();
                }
                case 3 -> each.giveBack(each.bytes() / (1 + random.nextInt(3)));
                case 4 -> {
                    boolean unused = each.sends(each.bytes() / (1 + random.nextInt(3)));
                }
                case 5 -> each.written(random.nextInt(100_000));
                default -> close(each);
            }
            // The connection of a client that was cut off is lost a little later.
            if (!lost.isEmpty() && random.nextBoolean()) {
                close(lost.removeFirst());
            }
            check();
        }

        private void close(Holding each) {
            each.close();
            open.remove(each);
        }

        private void check() {
            MemoryBudget.Usage usage = budget.usage();
            assertThat(usage.held())
                    .as("seed %d", seed)
                    .isEqualTo(open.stream().mapToLong(Holding::bytes).sum())
                    .isLessThanOrEqualTo(ALL + Limits.ROOT_HEAP_BYTES_MAX);
            assertThat(usage.unauthenticated()).as("seed %d", seed).isBetween(0L, ALL / 4);
        }

        void end() {
            List.copyOf(open).forEach(this::close);
            MemoryBudget.Usage usage = budget.usage();
            assertThat(usage.held()).as("seed %d", seed).isZero();
            assertThat(usage.unauthenticated()).as("seed %d", seed).isZero();
            assertThat(usage.holders()).as("seed %d", seed).isZero();
        }
    }
}
