package io.volute.versioning.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.volute.versioning.Listing.ObjectPage;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.read.PagesAhead.Asked;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class PagesAheadTest {
    private static final int PAGES = 9;

    private final AtomicLong removals = new AtomicLong();
    private final AtomicReference<Instant> clock =
            new AtomicReference<>(Instant.parse("2026-03-01T12:00:00Z"));
    private final PagesAhead ahead = new PagesAhead(removals::get, clock::get);

    /** The {@code after} of each page that was made, with a star if it was made ahead. */
    private final List<String> made = Collections.synchronizedList(new ArrayList<>());

    private final Function<ObjectQuery, ObjectPage> maker = this::make;

    /** Page n is behind n-1, up to the last. */
    private ObjectPage make(ObjectQuery query) {
        boolean isAhead = Thread.currentThread().getName().startsWith("page-ahead-");
        made.add(query.after() + (isAhead ? "*" : ""));
        int page = query.after().isEmpty() ? 1 : Integer.parseInt(query.after()) + 1;
        return new ObjectPage(
                List.of(),
                List.of(),
                page == PAGES ? Optional.empty() : Optional.of(Integer.toString(page)));
    }

    private static Asked asked(String after) {
        return new Asked(7, 99, new ObjectQuery("p", "", after, 10));
    }

    private Optional<String> next(String after) {
        return ahead.page(asked(after), maker).next();
    }

    /** Closing waits for what is made ahead, so that all of it is seen. */
    private List<String> made() {
        ahead.close();
        return made;
    }

    @Test
    void whoAsksForASecondPageFindsTheOthersMade() {
        Optional<String> after = Optional.of("");
        for (int i = 1; i <= PAGES; i++) {
            after = next(after.orElseThrow());
            assertThat(after).isEqualTo(i == PAGES ? Optional.empty() : Optional.of("" + i));
        }
        assertThat(made()).containsExactly("", "1", "2*", "3*", "4*", "5*", "6*", "7*", "8*");
    }

    @Test
    void whoAsksForOnePageCausesNoOther() {
        assertThat(next("")).contains("1");
        assertThat(made()).containsExactly("");
    }

    @Test
    void anotherQuestionIsAnsweredAnew() {
        assertThat(next("1")).contains("2");
        Asked other = new Asked(7, 98, asked("2").query());
        assertThat(
                        ahead.page(
                                        other,
                                        query ->
                                                new ObjectPage(
                                                        List.of(), List.of(), Optional.of("x")))
                                .next())
                .contains("x");
        assertThat(made()).containsExactly("1", "2*");
    }

    @Test
    void whatWasMadeBeforeARemovalIsNotShown() {
        assertThat(next("1")).contains("2");
        removals.incrementAndGet();
        assertThat(next("2")).contains("3");
        assertThat(made()).startsWith("1").contains("2*", "2", "3*").hasSize(4);
    }

    @Test
    void whatWasMadeLongAgoIsNotShown() {
        assertThat(next("1")).contains("2");
        clock.updateAndGet(now -> now.plus(Duration.ofSeconds(11)));
        assertThat(next("2")).contains("3");
        assertThat(made()).startsWith("1").contains("2*", "2", "3*").hasSize(4);
    }

    @Test
    void whoFailsAheadIsAskedAgain() {
        Function<ObjectQuery, ObjectPage> fails =
                query -> {
                    ObjectPage page = make(query);
                    if (query.after().equals("2")) {
                        throw new IllegalStateException("page 3");
                    }
                    return page;
                };
        assertThat(ahead.page(asked("1"), fails).next()).contains("2");
        assertThatIllegalStateException()
                .isThrownBy(() -> ahead.page(asked("2"), fails))
                .withMessage("page 3");
        assertThat(next("2")).contains("3");
        assertThat(made()).contains("2", "2*");
    }

    @Test
    void onlySomeAreKept() {
        for (int bucket = 0; bucket < 20; bucket++) {
            assertThat(ahead.page(in(bucket, "1"), maker).next()).contains("2");
        }
        ahead.close();
        made.clear();
        for (int bucket = 0; bucket < 20; bucket++) {
            assertThat(ahead.page(in(bucket, "2"), maker).next()).contains("3");
        }
        assertThat(made).hasSize(12);
    }

    private static Asked in(int bucket, String after) {
        return new Asked(bucket, 99, asked(after).query());
    }

    @Test
    void afterTheEndNothingBegins() {
        ahead.close();
        assertThat(next("1")).contains("2");
        assertThat(made()).containsExactly("1");
    }
}
