package io.volute.benchmarks.cleaning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class CleaningOptionsTest {

    @Test
    void withoutArgumentsEverythingIsMeasuredInProcess() {
        CleaningOptions options = parse();

        assertThat(options.through).isEqualTo(CleaningTarget.CUBE);
        assertThat(options.variants()).containsExactly(Variant.values());
        assertThat(options.workloads()).containsExactly(TableWorkload.values());
    }

    @Test
    void throughTheServerThereIsWhatItHasSettingsFor() {
        CleaningOptions options = parse("--through", "server");

        assertThat(options.through).isEqualTo(CleaningTarget.SERVER);
        assertThat(options.variants()).containsExactly(Variant.TWO_LEVEL);
        assertThat(options.workloads()).isEmpty();
        assertThat(parse("--quick", "--through", "server").variants())
                .containsExactly(Variant.TWO_LEVEL);
    }

    @Test
    void refusesWhatTheServerHasNoSettingsFor() {
        assertThatThrownBy(() -> parse("--through", "server", "--variants", "two-level,one-level"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("measures only --variants two-level:");
        assertThatThrownBy(() -> parse("--through", "server", "--workloads", "W1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--workloads none");
        assertThatThrownBy(() -> parse("--through", "net"))
                .hasMessageContaining("expected one of [CUBE, SERVER]");
    }

    private static CleaningOptions parse(String... arguments) {
        return CleaningOptions.parse(arguments);
    }
}
