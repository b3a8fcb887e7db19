package io.volute.versioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.versioning.Outbox.Message;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.KeyChange;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Messages about changes: in the commit of the change, and there until they are removed. */
class OutboxTest extends StoreFixture {
    private static final int MOST = 5;

    private final AtomicInteger committed = new AtomicInteger();

    private final ChangeRouter router =
            new ChangeRouter() {
                @Override
                public boolean isWatched(BucketInfo bucket) {
                    return true;
                }

                @Override
                public Routed route(KeyChange change) {
                    String text = change.kind() + " " + change.version().key().value();
                    return change.version().key().value().startsWith("unwatched")
                            ? Routed.NOWHERE
                            : new Routed(
                                    List.of(
                                            new ChangeRouter.Message(
                                                    "one", text.getBytes(StandardCharsets.UTF_8))),
                                    committed::incrementAndGet);
                }

                @Override
                public long messagesMax(String consumer) {
                    return MOST;
                }
            };

    @Override
    protected StoreOptions options(StoreOptions usual) throws IOException {
        return super.options(usual).with(router);
    }

    private List<Message> messages() throws IOException {
        return store.outbox().next("one", 100);
    }

    private static List<String> words(List<Message> messages) {
        return messages.stream()
                .map(
                        each ->
                                each.content()
                                        .map(text -> new String(text, StandardCharsets.UTF_8))
                                        .orElse("gap"))
                .toList();
    }

    @Test
    void aChangeHasItsMessage() throws IOException {
        put("a", "1");
        put("unwatched", "1");
        versioning(VersioningState.ENABLED);
        delete("a");
        assertThat(words(messages())).containsExactly("PUT a", "MARK a");
        assertThat(committed).hasValue(2);
        List<Message> messages = messages();
        assertThat(messages.get(0).number()).isLessThan(messages.get(1).number());
        assertThat(messages.get(0).at()).isBefore(messages.get(1).at());
        assertThat(store.outbox().next("two", 100)).isEmpty();
    }

    @Test
    void aRefusedChangeHasNone() throws IOException {
        put("a", "1");
        assertThatThrownBy(() -> put("a", "2", new WriteCondition.IfAbsent()))
                .isInstanceOf(StoreException.class);
        assertThat(words(messages())).containsExactly("PUT a");
        assertThat(committed).hasValue(1);
    }

    @Test
    void messagesStayUntilTheyAreRemovedAlsoBehindARestart() throws IOException {
        put("a", "1");
        put("b", "1");
        put("c", "1");
        List<Message> all = messages();
        store.outbox().remove("one", List.of(all.get(1)));
        store.close();
        store = reopen();
        assertThat(words(messages())).containsExactly("PUT a", "PUT c");
        assertThat(store.outbox().queue("one").messages()).isEqualTo(2);
        assertThat(store.outbox().consumers()).containsExactly("one");
        put("d", "1");
        assertThat(words(messages())).containsExactly("PUT a", "PUT c", "PUT d");
        store.outbox().remove("one", messages());
        assertThat(messages()).isEmpty();
        assertThat(store.outbox().queue("one").messages()).isZero();
        assertThat(store.outbox().queue("one").oldest()).isEmpty();
    }

    @Test
    void aFullQueueGetsOneGapUntilThereIsRoom() throws IOException {
        IntStream.range(0, MOST).forEach(i -> quietly("a" + i));
        IntStream.range(0, 3).forEach(i -> quietly("lost" + i));
        List<Message> full = messages();
        assertThat(words(full)).hasSize(MOST + 1).last().isEqualTo("gap");
        assertThat(store.outbox().queue("one").omitted()).isEqualTo(3);

        store.outbox().remove("one", full.subList(0, 2));
        quietly("again");
        quietly("lost");
        store.outbox().remove("one", full.subList(2, full.size()));
        assertThat(words(messages())).containsExactly("PUT again", "gap");
    }

    private void quietly(String key) {
        try {
            put(key, "x");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void anAdditionWakesTheConsumer() throws IOException {
        AtomicInteger woken = new AtomicInteger();
        store.outbox().onMessage("one", woken::incrementAndGet);
        put("a", "1");
        put("unwatched", "1");
        store.outbox().add("one", at -> new byte[] {1});
        assertThat(woken).hasValue(2);
        assertThat(messages()).hasSize(2);
    }

    @Test
    void aVisitSeesTheMessagesInOrderAndRemovesNone() throws IOException {
        put("a", "1");
        put("b", "1");
        put("c", "1");
        List<Message> seen = new ArrayList<>();
        store.outbox()
                .visit(
                        "one",
                        message -> {
                            seen.add(message);
                            return seen.size() < 2;
                        });
        assertThat(words(seen)).containsExactly("PUT a", "PUT b");
        store.outbox().remove("one", messages().subList(0, 1));
        seen.clear();
        store.outbox().visit("one", seen::add);
        assertThat(words(seen)).containsExactly("PUT b", "PUT c");
        assertThat(messages()).hasSize(2);
    }
}
