package io.volute.benchmarks.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.benchmarks.load.LoadOptions;
import io.volute.benchmarks.load.LoadOptions.Operation;
import io.volute.benchmarks.load.LoadOptions.Versioning;
import io.volute.benchmarks.load.LoadOptions.Workload;
import io.volute.benchmarks.suite.SuiteOptions.Full;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SuiteOptionsTest {
    @Test
    void withoutArgumentsAllMixesAreMeasured() {
        SuiteOptions options = SuiteOptions.parse();

        assertThat(options.mixes()).containsExactly(Mix.values());
        assertThat(options.shares()).containsExactly(50, 80);
        assertThat(options.settings()).isEmpty();
        assertThat(options.load().runs()).isEqualTo(3);
    }

    @Test
    void otherMeasurementsHaveMixesOfTheirOwn() {
        assertThat(SuiteOptions.parse("--with-cleaning").mixes())
                .containsExactly(Mix.PUT, Mix.GET, Mix.MIXED);
        assertThat(SuiteOptions.parse("--compare-settings", "defaults").mixes())
                .containsExactly(Mix.PUT, Mix.GET);
        assertThat(SuiteOptions.parse("--mixes", "put-large,list").mixes())
                .containsExactly(Mix.PUT_LARGE, Mix.LIST);
    }

    @Test
    void valuesOfSettingsMayHaveCommas() {
        String text = "log.audit=false,provenance.encrypt=actor,metadata";
        SuiteOptions options = SuiteOptions.parse("--settings", text);

        assertThat(options.settings())
                .isEqualTo(Map.of("log.audit", "false", "provenance.encrypt", "actor,metadata"));
        assertThat(SuiteOptions.text(options.settings())).isEqualTo(text);
        assertThat(SuiteOptions.text(Map.of())).isEqualTo("defaults");
    }

    @Test
    void refusesWhatMakesNoSense() {
        assertRefused("no gett among", "--mixes", "gett");
        assertRefused("expected NAME=VALUE", "--settings", "log.audit");
        assertRefused("leave out --endpoint", "--endpoint", "http://h", "--with-cleaning");
        assertRefused("choose one", "--with-cleaning", "--compare-settings", "defaults");
        assertRefused("put, get and mixed only", "--with-cleaning", "--mixes", "list");
        assertRefused("percents", "--shares", "0");
        assertRefused("at least 1", "--runs", "0");
        assertRefused("unknown", "--mix", "put");
        assertRefused("access-key", "--access-key", "of no endpoint");
    }

    private static void assertRefused(String message, String... arguments) {
        assertThatThrownBy(() -> SuiteOptions.parse(arguments))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @EnumSource
    void everyMixIsAWorkloadOfTheDriver(Mix mix) {
        Workload workload = workload(mix, "--connections", "8", "--duration", "4");

        assertThat(workload.connections()).isEqualTo(8);
        assertThat(workload.rate()).isEmpty();
        assertThat(workload.bucket()).isEqualTo("suite-" + mix.title());
        assertThat(workload.versioning() == Versioning.ENABLED).isEqualTo(mix == Mix.VERSIONED);
        assertThat(workload.objectBytes() >= 10 << 20)
                .isEqualTo(List.of(Mix.PUT_LARGE, Mix.GET_LARGE, Mix.POPULATION).contains(mix));
        assertThat(workload.seconds()).isEqualTo(mix == Mix.DELETE ? 1 : 4);
    }

    /** Or the measured time would end with the objects. */
    @Test
    void thereIsEnoughToDelete() {
        Workload workload = workload(Mix.DELETE, "--duration", "20", "--warm-up", "8");

        assertThat(workload.objects())
                .isEqualTo((long) (10_000 * (workload.seconds() + workload.warmUpSeconds())));
    }

    /** Whatever fills a store further while it is measured is left out. */
    @Test
    void inAFullStoreAnyOfTheObjectsAreOverwritten() {
        SuiteOptions options = SuiteOptions.parse("--with-cleaning", "--capacity", "1G");

        assertThat(options.cleaned()).hasValue(new Full(1 << 30, 80));
        assertThat(FullStore.settings(options.cleaned().orElseThrow()))
                .containsEntry("log.capacity", "1073741824B")
                .containsEntry("log.segment-size", "4194304B")
                .containsEntry("cleaner.reserve-segments", "8")
                .containsEntry("history.policy", "none");
        Workload put = cleaned(options, Mix.PUT);
        assertThat(put.operation()).isEqualTo(Operation.MIXED);
        assertThat(put.getPercent()).isZero();
        assertThat(put.backgroundPuts()).isZero();
        Workload get = cleaned(options, Mix.GET);
        assertThat(get.operation()).isEqualTo(Operation.GET);
        assertThat(get.backgroundPuts()).isEqualTo(123.5);
        assertThat(get.objects()).isEqualTo(7000);
    }

    @Test
    void openLoopRunsAtAShareOfWhatWasReached() {
        List<String> arguments = Mix.GET.arguments(SuiteOptions.parse().load());
        Step closed = Step.closed(Mix.GET, arguments, Map.of());
        Step open = closed.at(80, 12_345, arguments);

        assertThat(closed.share()).isEmpty();
        assertThat(open.share()).isEqualTo(OptionalInt.of(80));
        assertThat(open.workload().rate().orElseThrow()).isEqualTo(9876);
        assertThat(open.workload().objects()).isEqualTo(closed.workload().objects());
        assertThat(open.title()).isEqualTo("get at 80%");
    }

    private static Workload workload(Mix mix, String... arguments) {
        List<String> all = mix.arguments(SuiteOptions.parse(arguments).load());
        return LoadOptions.parse(all.toArray(String[]::new)).workload();
    }

    private static Workload cleaned(SuiteOptions options, Mix mix) {
        List<String> all = mix.cleanedArguments(options.load(), 7000, 123.5);
        return LoadOptions.parse(all.toArray(String[]::new)).workload();
    }
}
