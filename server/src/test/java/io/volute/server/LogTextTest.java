package io.volute.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class LogTextTest {
    @Test
    void aNameCannotMakeALineOfItsOwn() {
        assertThat(LogText.of("a\r\n2026-01-01 ERROR: \u001b[31mb/c d"))
                .isEqualTo("a??2026-01-01 ERROR: ?[31mb/c d");
    }

    @Test
    void aFailureWithoutAMessageHasItsType() {
        assertThat(LogText.reason(new IOException("no\nroute"))).isEqualTo("no?route");
        assertThat(LogText.reason(new EOFException())).isEqualTo("EOFException");
    }
}
