package io.volute.admin.output;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AnswerFormatTest {
    @Test
    void oneIsSingular() {
        assertThat(AnswerFormat.count(1, "chain")).isEqualTo("1 chain");
        assertThat(AnswerFormat.count(1, "entry")).isEqualTo("1 entry");
    }

    @Test
    void othersArePlural() {
        assertThat(AnswerFormat.count(0, "finding")).isEqualTo("0 findings");
        assertThat(AnswerFormat.count(2, "entry")).isEqualTo("2 entries");
        assertThat(AnswerFormat.count(2, "key")).isEqualTo("2 keys");
    }
}
