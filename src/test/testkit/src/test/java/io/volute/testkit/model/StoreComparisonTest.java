package io.volute.testkit.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.testkit.model.OperationGenerator.Options;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.ObjectStore.DeleteTarget;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The comparing machine itself: it is silent about the model and finds planted faults. */
@Tag("slow")
class StoreComparisonTest {

    private static StoreModel model() {
        return new StoreModel(InstantSource.fixed(Instant.EPOCH), StoreComparison.PART_BYTES_MIN);
    }

    private static StoreUnderTest modelUnderTest() {
        StoreModel model = model();
        return () -> model;
    }

    /** A fault planted into one method: may change the arguments, or refuse to change anything. */
    private interface Fault {
        Object[] arguments(String method, Object[] arguments);
    }

    private static StoreUnderTest faulty(Fault fault) {
        StoreModel model = model();
        ObjectStore store =
                (ObjectStore)
                        Proxy.newProxyInstance(
                                ObjectStore.class.getClassLoader(),
                                new Class<?>[] {ObjectStore.class},
                                (proxy, method, arguments) ->
                                        call(model, method, arguments, fault));
        return () -> store;
    }

    private static Object call(StoreModel model, Method method, Object[] arguments, Fault fault)
            throws Throwable {
        try {
            return method.invoke(
                    model, arguments == null ? null : fault.arguments(method.getName(), arguments));
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    @Test
    void theModelIsLikeItself() throws IOException {
        new StoreComparison(StoreComparisonTest::modelUnderTest)
                .compareRandom(Options.small(), StoreComparison.firstSeed(1), 300);
        new StoreComparison(StoreComparisonTest::modelUnderTest)
                .compareRandom(Options.locks(), StoreComparison.firstSeed(1), 300);
    }

    @Test
    void everyShortSequenceOnTheModelIsLikeItself() throws IOException {
        assertThat(new StoreComparison(StoreComparisonTest::modelUnderTest).compareExhaustive())
                .isGreaterThan(6_000);
    }

    @Test
    void findsConditionsThatAreIgnored() {
        assertFound(
                (method, arguments) -> {
                    if (method.equals("put") && arguments[5] instanceof WriteCondition.IfAbsent) {
                        arguments[5] = WriteCondition.NONE;
                    }
                    return arguments;
                });
    }

    @Test
    void findsAListingThatForgetsItsMarker() {
        assertFound(
                (method, arguments) -> {
                    if (method.equals("listObjects")
                            && arguments[2] instanceof ObjectQuery query
                            && query.after().equals("a/b")) {
                        arguments[2] =
                                new ObjectQuery(
                                        query.prefix(), query.delimiter(), "a/b/c", query.max());
                    }
                    return arguments;
                });
    }

    @Test
    void findsADeleteOfTheWrongVersion() {
        assertFound(
                (method, arguments) -> {
                    if (method.equals("delete")
                            && arguments[2] instanceof DeleteTarget target
                            && target.selector() instanceof VersionSelector.Numbered) {
                        arguments[2] =
                                new DeleteTarget(
                                        target.key(), VersionSelector.NULL, target.condition());
                    }
                    return arguments;
                });
    }

    @Test
    void findsALockThatIsPassedOver() {
        assertFound(
                (method, arguments) -> {
                    if (method.equals("delete") && arguments[2] instanceof DeleteTarget target) {
                        arguments[2] =
                                new DeleteTarget(
                                        target.key(), target.selector(), target.condition(), true);
                    }
                    return arguments;
                },
                Options.locks());
    }

    @Test
    void exhaustiveSequencesFindAFaultOfThreeSteps() {
        StoreComparison comparison =
                new StoreComparison(
                        () ->
                                faulty(
                                        (method, arguments) -> {
                                            if (method.equals("copy")
                                                    && arguments[1]
                                                            instanceof ObjectStore.Source source
                                                    && source.selector()
                                                            instanceof VersionSelector.Numbered) {
                                                arguments[1] =
                                                        new ObjectStore.Source(
                                                                source.bucket(),
                                                                source.key(),
                                                                VersionSelector.LATEST);
                                            }
                                            return arguments;
                                        }));
        assertThatThrownBy(comparison::compareExhaustive).isInstanceOf(AssertionError.class);
    }

    @Test
    void reducesToWhatMatters() throws IOException {
        List<Integer> numbers = java.util.stream.IntStream.range(0, 100).boxed().toList();
        assertThat(Reducer.reduce(numbers, list -> list.contains(17) && list.contains(80)))
                .containsExactly(17, 80);
    }

    private static void assertFound(Fault fault) {
        assertFound(fault, Options.small());
    }

    private static void assertFound(Fault fault, Options options) {
        assertThatThrownBy(
                        () ->
                                new StoreComparison(() -> faulty(fault))
                                        .compareRandom(options, 1, 500))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("repeat with -Dvolute.seed=")
                .satisfies(error -> assertThat(error.getMessage().lines().count()).isLessThan(16));
    }
}
