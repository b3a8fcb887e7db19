package io.volute.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.io.NoSpaceException;
import java.util.List;
import org.apache.bookkeeper.client.BKException;
import org.junit.jupiter.api.Test;

/** Bookies that are away are not full: clients of S3 repeat 503, and not 507. */
class BookieSpaceTest {
    private static final long GIB = 1L << 30;

    /** Free bytes of the bookies that answer; each ledger needs two of three. */
    private List<Long> free = List.of(3 * GIB, 3 * GIB, 3 * GIB);

    private final BookieSpace space = new BookieSpace(() -> free, 3, 2, () -> 0);

    @Test
    void bookiesThatAreAwayTakeNoSpaceWithThem() {
        space.measure();
        assertThat(space.usableBytes()).isEqualTo(3 * GIB);
        free = List.of();
        space.measure();
        assertThat(space.usableBytes()).isEqualTo(3 * GIB);
        free = List.of(5L);
        space.measure();
        assertThat(space.usableBytes()).isEqualTo(3 * GIB);
        free = List.of(0L, 0L, 0L);
        space.measure();
        assertThat(space.usableBytes()).isZero();
    }

    @Test
    void bookiesThatAnswerAndTakeNoWritesAreFull() {
        assertThat(space.tooFew(new BKException.BKNotEnoughBookiesException()))
                .isInstanceOf(NoSpaceException.class)
                .hasMessageContaining("3 answer: see that their disks have space");
    }

    @Test
    void bookiesThatDoNotAnswerAreAway() {
        free = List.of(GIB);
        assertThat(space.tooFew(new BKException.BKNotEnoughBookiesException()))
                .isNotInstanceOf(NoSpaceException.class)
                .hasMessageContaining("1 answer: see that they run");
    }
}
