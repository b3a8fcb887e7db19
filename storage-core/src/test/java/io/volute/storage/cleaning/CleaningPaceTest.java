package io.volute.storage.cleaning;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** The course of free space where clients write as much as the pace lets them. */
class CleaningPaceTest {
    private static final long CUSHION = 100 << 20;
    private static final long BATCH = 128 << 10;

    /** Clients that write on until the cleaner goes on. */
    private static final class Writers implements ClientLoad {
        private long wrote;
        private long free;

        Writers(long free) {
            this.free = free;
        }

        @Override
        public long writtenBytes() {
            return wrote;
        }

        @Override
        public double cushionLeft() {
            return (double) free / CUSHION;
        }

        @Override
        public long commitBytes() {
            return 8 << 10;
        }

        @Override
        public void awaitWritten(LongSupplier due) {
            write(Math.max(0, due.getAsLong() - wrote));
        }

        private void write(long bytes) {
            wrote += bytes;
            free -= bytes;
        }
    }

    /** Cleans until so much was won; {@code wonPerCopied} is what a copied byte frees. */
    private static void clean(Writers clients, double wonPerCopied, long won) throws IOException {
        CleaningPace pace = new CleaningPace(clients);
        pace.begin(1000, (long) (1000 * wonPerCopied));
        long batches = (long) (won / (BATCH * wonPerCopied));
        for (long i = 0; i < batches; i++) {
            pace.await(BATCH);
            clients.free += (long) (BATCH * wonPerCopied);
        }
    }

    @Test
    void freeSpaceSettlesAtAnEighthOfTheCushion() throws IOException {
        for (double wonPerCopied : new double[] {0.1, 0.5, 3}) {
            Writers fromAbove = new Writers(CUSHION);
            clean(fromAbove, wonPerCopied, 20 * CUSHION);
            Writers fromBelow = new Writers(0);
            clean(fromBelow, wonPerCopied, 20 * CUSHION);

            assertThat(fromAbove.cushionLeft()).isBetween(0.11, 0.14);
            assertThat(fromBelow.cushionLeft()).isBetween(0.11, 0.14);
        }
    }

    @Test
    void piecesGrowOnlyWhenClientsAreAboutToWait() {
        Writers clients = new Writers(CUSHION);
        CleaningPace pace = new CleaningPace(clients);
        int usual = (int) clients.commitBytes() / 16;
        for (double left : new double[] {3, 1, 0.125, 0.05}) {
            clients.free = (long) (left * CUSHION);
            assertThat(pace.entriesEnough()).as("%s left", left).isEqualTo(usual);
        }
        clients.free = CUSHION / 50;
        assertThat(pace.entriesEnough()).isEqualTo(2 * usual);
        for (long none : new long[] {CUSHION / 1000, 0, -CUSHION}) {
            clients.free = none;
            assertThat(pace.entriesEnough()).isEqualTo(1024);
        }
    }

    @Test
    void withMoreRoomThanWhenItBeganItIsQuick() throws IOException {
        Writers clients = new Writers(3 * CUSHION);
        clean(clients, 1, CUSHION / 2);
        assertThat(clients.cushionLeft())
                .as("wins half as much again as is written")
                .isGreaterThan(3);
    }

    @Test
    void whoWroteMoreMeanwhileDoesNotMakeItHurryForLong() throws IOException {
        Writers clients = new Writers(CUSHION / 2);
        CleaningPace pace = new CleaningPace(clients);
        pace.begin(1000, 1000);
        clients.write(CUSHION / 4);
        long before = clients.writtenBytes();
        for (int i = 0; i < 8; i++) {
            pace.await(BATCH);
        }
        assertThat(clients.writtenBytes() - before)
                .as("waited for, beside a little to catch up")
                .isGreaterThan(4 * BATCH);
    }
}
