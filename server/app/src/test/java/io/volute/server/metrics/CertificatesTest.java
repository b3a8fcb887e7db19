package io.volute.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.http.HttpSettings.TlsFiles;
import io.volute.testkit.tls.TestAuthority;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CertificatesTest {
    private static final double END = Instant.parse("2049-01-01T00:00:00Z").getEpochSecond();

    @TempDir private Path directory;

    @Test
    void theEndIsReadFromTheFileEachTime() throws Exception {
        TestAuthority authority = new TestAuthority(directory, "authority");
        TestAuthority.Identity own = authority.sign("own", "CN=own");
        assertThat(Certificates.endSecond(Optional.of(own.certificate()))).isEqualTo(END);
        // The client of bookies has the key in front of it.
        assertThat(Certificates.endSecond(Optional.of(own.both()))).isEqualTo(END);
        TlsFiles both = new TlsFiles(own.both(), own.key());
        both.check();
        assertThat(both.dates(Instant.EPOCH).end()).isEqualTo(Instant.ofEpochSecond((long) END));
        assertThat(Certificates.endSecond(Optional.empty())).isZero();
        Files.writeString(own.certificate(), "no certificate");
        assertThat(Certificates.endSecond(Optional.of(own.certificate()))).isZero();
        Files.delete(own.certificate());
        assertThat(Certificates.endSecond(Optional.of(own.certificate()))).isZero();
    }
}
