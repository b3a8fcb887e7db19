package io.volute.distribution.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.volute.provenance.keys.MasterKey;
import io.volute.provenance.keys.PrivateFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ClusterKeysCommandTest {
    @TempDir private Path directory;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(Path to) {
        return new CommandLine(new ClusterKeysCommand())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(to.toString());
    }

    @Test
    void makesSecretsThatAServerCanUseAndKeepsThem() throws IOException {
        Path to = directory.resolve("new/keys");
        Path key = to.resolve("provenance.key");
        Path secret = to.resolve("cluster.secret");
        assertThat(run(to)).as(err.toString()).isZero();
        assertThat(out.toString())
                .contains("provenance.master-key = \"" + key + "\"")
                .contains("cluster.secret-file = \"" + secret + "\"");
        assertThatCode(() -> MasterKey.ofFile(key)).doesNotThrowAnyException();
        // It refuses a file that others can read.
        String text = new PrivateFile("the secret", secret).read();
        assertThat(text).matches("[0-9a-f]{64}");
        String before = Files.readString(key) + Files.readString(secret);
        assertThat(run(to)).isZero();
        assertThat(Files.readString(key) + Files.readString(secret)).isEqualTo(before);
        Files.delete(secret);
        assertThat(run(to)).isZero();
        assertThat(Files.readString(secret)).doesNotContain(text);
    }

    @Test
    void saysWhyItCannotWrite() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "");
        assertThat(run(file)).isOne();
        assertThat(err.toString()).startsWith("volute: ").contains("file");
        assertThat(out.toString()).isEmpty();
    }
}
