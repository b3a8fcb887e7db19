package io.volute.server.cluster.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.versioning.SharedReads;
import io.volute.versioning.SharedReads.Position;
import io.volute.versioning.SharedReads.Progress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The content of calls to other owners, the sharing of calls, and owners that fail. */
@Timeout(60)
class OwnerExchangeTest {
    private static final Duration LONG = Duration.ofMinutes(10);

    private final AtomicLong nanos = new AtomicLong();

    /** Reads that are numbers, of which a batch has two at most. */
    private static final class Numbers implements SharedReads {
        private final UUID run;
        private final List<Long> own = new ArrayList<>();
        private final List<Long> added = new ArrayList<>();

        Numbers(int run) {
            this.run = new UUID(5, run);
        }

        synchronized void read(long value) {
            own.add(value);
        }

        synchronized List<Long> added() {
            return List.copyOf(added);
        }

        @Override
        public synchronized byte[] since(Position from) {
            int begin = from.run().equals(run) ? (int) from.number() : 0;
            int end = Math.min(own.size(), begin + 2);
            ByteBuffer batch = ByteBuffer.allocate((4 + end - begin) * Long.BYTES);
            batch.putLong(run.getMostSignificantBits()).putLong(run.getLeastSignificantBits());
            batch.putLong(end).putLong(end < own.size() ? 1 : 0);
            own.subList(begin, end).forEach(batch::putLong);
            return batch.array();
        }

        @Override
        public synchronized Progress add(byte[] bytes) {
            ByteBuffer batch = ByteBuffer.wrap(bytes);
            Position next =
                    new Position(new UUID(batch.getLong(), batch.getLong()), batch.getLong());
            boolean hasMore = batch.getLong() == 1;
            while (batch.hasRemaining()) {
                added.add(batch.getLong());
            }
            return new Progress(next, hasMore);
        }

        @Override
        public void setShared(boolean hasOtherOwners) {}

        @Override
        public long dropped() {
            return 0;
        }
    }

    private static final class Order implements OwnerExchange.Sequences {
        private final AtomicLong last = new AtomicLong();

        @Override
        public long last() {
            return last.get();
        }

        @Override
        public void passed(long sequence) {
            assertThat(last.accumulateAndGet(sequence, Math::max)).isNotNegative();
        }
    }

    /** An owner with its exchange. */
    private final class Owner {
        private final Numbers reads;
        private final Order order = new Order();
        private final List<Peers.Peer> others = new ArrayList<>();
        private final ExchangeCounts counts = new ExchangeCounts();
        private final OwnerExchange exchange;

        Owner(int run, Duration limit) {
            reads = new Numbers(run);
            exchange =
                    new OwnerExchange(
                            reads, order, () -> List.copyOf(others), limit, counts, nanos::get);
        }
    }

    private interface Transport {
        byte[] ask(byte[] content) throws IOException;
    }

    private record To(String name, long election, Transport transport) implements Peers.Peer {
        @Override
        public byte[] ask(byte[] content, Duration limit) throws IOException {
            assertThat(limit).isPositive();
            return transport.ask(content);
        }
    }

    /** A transport whose answers the test gives. */
    private static final class Held implements Transport {
        private record Ask(byte[] content, CompletableFuture<byte[]> answer) {}

        private final BlockingQueue<Ask> asks = new LinkedBlockingQueue<>();

        @Override
        public byte[] ask(byte[] content) throws IOException {
            Ask ask = new Ask(content, new CompletableFuture<>());
            asks.add(ask);
            try {
                return ask.answer().get();
            } catch (Exception e) {
                throw new IOException(e);
            }
        }
    }

    private final Owner here = new Owner(1, LONG);
    private final Owner there = new Owner(2, LONG);

    /** Begins to wait in a thread of its own. */
    private static CompletableFuture<Void> waiting(Owner owner) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread unused =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    try {
                                        owner.exchange.await();
                                        done.complete(null);
                                    } catch (Throwable e) {
                                        done.completeExceptionally(e);
                                    }
                                });
        return done;
    }

    @Test
    void withoutOthersNothingHappens() throws Exception {
        here.exchange.await();
        assertThat(here.counts.calls().sum()).isZero();
        assertThat(here.counts.waitedNanos().sum()).isZero();
    }

    @Test
    void allReadsAndTheSequencesOfBothSidesArrive() throws Exception {
        here.others.add(new To("there", 1, there.exchange::answer));
        here.order.passed(7);
        there.order.passed(9);
        for (long i = 0; i < 5; i++) {
            there.reads.read(i);
        }
        here.exchange.await();
        assertThat(here.reads.added()).containsExactly(0L, 1L, 2L, 3L, 4L);
        assertThat(here.order.last()).isEqualTo(9);
        there.reads.read(5);
        here.order.passed(11);
        here.exchange.await();
        assertThat(here.reads.added()).containsExactly(0L, 1L, 2L, 3L, 4L, 5L);
        assertThat(there.order.last()).isEqualTo(11);
        assertThat(here.counts.calls().sum()).isEqualTo(2);
        assertThat(here.counts.skipped().sum()).isZero();
    }

    /** A call that is running can have been answered before the read that must arrive. */
    @Test
    void aRequestWaitsForACallThatBeganAfterItArrived() throws Exception {
        Held held = new Held();
        here.others.add(new To("there", 1, held));
        CompletableFuture<Void> first = waiting(here);
        Held.Ask early = held.asks.take();
        byte[] before = there.exchange.answer(early.content());
        // The client reads there, gets its answer, and sends its write here.
        there.reads.read(1);
        there.order.passed(9);
        List<CompletableFuture<Void>> later = List.of(waiting(here), waiting(here));
        while (here.exchange.waiting() < 3) {
            Thread.onSpinWait();
        }
        early.answer().complete(before);
        first.join();
        assertThat(here.reads.added()).isEmpty();
        assertThat(later).noneMatch(CompletableFuture::isDone);
        Held.Ask second = held.asks.take();
        second.answer().complete(there.exchange.answer(second.content()));
        later.forEach(CompletableFuture::join);
        assertThat(here.reads.added()).containsExactly(1L);
        assertThat(here.order.last()).isEqualTo(9);
        assertThat(held.asks).isEmpty();
        assertThat(here.counts.calls().sum()).isEqualTo(2);
    }

    @Test
    void ownersAreAskedAtTheSameTime() throws Exception {
        Held one = new Held();
        Held two = new Held();
        Owner third = new Owner(3, LONG);
        here.others.add(new To("one", 1, one));
        here.others.add(new To("two", 1, two));
        CompletableFuture<Void> waits = waiting(here);
        Held.Ask ofOne = one.asks.take();
        Held.Ask ofTwo = two.asks.take();
        third.reads.read(4);
        ofTwo.answer().complete(third.exchange.answer(ofTwo.content()));
        assertThat(waits).isNotDone();
        ofOne.answer().complete(there.exchange.answer(ofOne.content()));
        waits.join();
        assertThat(here.reads.added()).containsExactly(4L);
    }

    @Test
    void aFailedOwnerHoldsUpNobodyAndGoesOnWhereItWas() throws Exception {
        AtomicLong failures = new AtomicLong();
        there.reads.read(1);
        here.others.add(
                new To(
                        "there",
                        1,
                        content -> {
                            if (failures.getAndDecrement() > 0) {
                                throw new IOException("injected");
                            }
                            return there.exchange.answer(content);
                        }));
        here.exchange.await();
        there.reads.read(2);
        failures.set(2);
        here.exchange.await();
        assertThat(here.counts.failed().sum()).isEqualTo(1);
        assertThat(here.counts.skipped().sum()).isEqualTo(1);
        // In the pause nobody calls.
        here.exchange.await();
        assertThat(here.counts.calls().sum()).isEqualTo(2);
        assertThat(here.counts.skipped().sum()).isEqualTo(2);
        // After it a call is tried, for which nobody waits: it fails as well.
        nanos.addAndGet(PeerCalls.PAUSE_NANOS);
        here.exchange.await();
        awaitCounts(3, 2);
        here.exchange.await();
        assertThat(here.counts.calls().sum()).isEqualTo(3);
        assertThat(here.reads.added()).containsExactly(1L);
        while (here.reads.added().size() < 2) {
            nanos.addAndGet(PeerCalls.PAUSE_NANOS);
            here.exchange.await();
        }
        awaitTrust();
        there.reads.read(3);
        long skipped = here.counts.skipped().sum();
        here.exchange.await();
        assertThat(here.reads.added()).containsExactly(1L, 2L, 3L);
        assertThat(here.counts.skipped().sum()).isEqualTo(skipped);
    }

    private void awaitCounts(long calls, long failed) {
        ExchangeCounts counts = here.counts;
        while (counts.calls().sum() < calls || counts.failed().sum() < failed) {
            Thread.onSpinWait();
        }
    }

    /** Waits until requests wait for the owner again. */
    private void awaitTrust() throws InterruptedException {
        long skipped;
        do {
            skipped = here.counts.skipped().sum();
            here.exchange.await();
        } while (here.counts.skipped().sum() > skipped);
    }

    @Test
    void thoseWhoWaitForTheNextCallGoOnWhenTheRunningOneFails() throws Exception {
        Held held = new Held();
        here.others.add(new To("there", 1, held));
        CompletableFuture<Void> first = waiting(here);
        Held.Ask ask = held.asks.take();
        CompletableFuture<Void> second = waiting(here);
        while (here.exchange.waiting() < 2) {
            Thread.onSpinWait();
        }
        ask.answer().completeExceptionally(new IOException("injected"));
        first.join();
        second.join();
        assertThat(held.asks).isEmpty();
        assertThat(here.counts.skipped().sum()).isEqualTo(2);
    }

    /** The transport breaks its promise to end the call in time. */
    @Test
    void aCallThatNeverEndsIsGivenUpAndItsLateAnswerIsAdded() throws Exception {
        Owner hasty = new Owner(4, Duration.ofMillis(1));
        Held held = new Held();
        hasty.others.add(new To("there", 1, held));
        there.reads.read(1);
        hasty.exchange.await();
        assertThat(hasty.counts.skipped().sum()).isEqualTo(1);
        Held.Ask late = held.asks.take();
        late.answer().complete(there.exchange.answer(late.content()));
        while (hasty.reads.added().isEmpty()) {
            Thread.onSpinWait();
        }
        assertThat(hasty.reads.added()).containsExactly(1L);
        nanos.addAndGet(PeerCalls.PAUSE_NANOS);
        hasty.exchange.await();
        Held.Ask probe = held.asks.take();
        assertThat(probe.answer().complete(there.exchange.answer(probe.content()))).isTrue();
    }

    @Test
    void anAnswerThatCannotBeDecodedIsAFailure() throws Exception {
        here.others.add(
                new To(
                        "there",
                        1,
                        content -> {
                            byte[] answer = there.exchange.answer(content);
                            answer[0]++;
                            return answer;
                        }));
        here.exchange.await();
        assertThat(here.counts.failed().sum()).isEqualTo(1);
        byte[] question = new ExchangeFormat.Question(1, Position.START).encode();
        byte[] cut = Arrays.copyOf(question, question.length - 1);
        assertThatThrownBy(() -> there.exchange.answer(cut))
                .isInstanceOf(IllegalArgumentException.class);
        question[0]++;
        assertThatThrownBy(() -> there.exchange.answer(question))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("same release");
        byte[] negative = new ExchangeFormat.Question(-1, Position.START).encode();
        assertThatThrownBy(() -> there.exchange.answer(negative))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aNewElectionIsAskedAtOnceFromItsBeginning() throws Exception {
        there.reads.read(1);
        here.others.add(
                new To(
                        "there",
                        1,
                        content -> {
                            throw new IOException("dead");
                        }));
        here.exchange.await();
        Owner successor = new Owner(7, LONG);
        successor.reads.read(2);
        here.others.set(0, new To("there", 2, successor.exchange::answer));
        here.exchange.await();
        assertThat(here.reads.added()).containsExactly(2L);
        assertThat(here.counts.skipped().sum()).isEqualTo(1);
        // One that has not seen the election yet does not bring back the one before.
        here.others.set(0, new To("there", 1, there.exchange::answer));
        here.exchange.await();
        assertThat(here.reads.added()).containsExactly(2L);
        // An owner that left and came back has an exchange of its own.
        here.others.clear();
        Owner another = new Owner(8, LONG);
        here.others.add(new To("another", 3, another.exchange::answer));
        here.exchange.await();
        here.others.set(0, new To("there", 2, successor.exchange::answer));
        here.exchange.await();
        assertThat(here.reads.added()).containsExactly(2L, 2L);
        assertThat(here.counts.failed().sum()).isEqualTo(1);
    }
}
