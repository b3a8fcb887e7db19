package io.volute.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.keys.MasterKey;
import io.volute.server.cluster.owners.MemoryFile;
import io.volute.server.credentials.Credential;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class SharedKeysTest {
    private static final byte[] SECRET = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final Credential ROOT = new Credential("KEY", "secretsecret", "r", "r", true);

    private final SecureRandom random = new SecureRandom();
    private final MemoryFile file = new MemoryFile();

    private MasterKey key() throws IOException {
        return MasterKey.create(random, text -> {});
    }

    @Test
    void theFirstNodeDecidesAndTheOthersMustHaveTheSame() throws IOException {
        MasterKey master = key();
        SharedKeys.require(file, master, ROOT, SECRET, random);
        assertThatCode(() -> SharedKeys.require(file, master, ROOT, SECRET, random))
                .doesNotThrowAnyException();
        MasterKey other = key();
        assertThatThrownBy(() -> SharedKeys.require(file, other, ROOT, SECRET, random))
                .hasMessageContaining("master key of this node is not that of the cluster")
                .hasMessageContaining("Copy the directory 'keys'");
        Credential stranger = new Credential("KEY", "othersecret", "r", "r", true);
        assertThatThrownBy(() -> SharedKeys.require(file, master, stranger, SECRET, random))
                .hasMessageContaining("root's credential");
        byte[] another = Arrays.copyOf(SECRET, 20);
        assertThatThrownBy(() -> SharedKeys.require(file, master, ROOT, another, random))
                .hasMessageContaining("cluster.secret-file");
        assertThat(new String(file.read().orElseThrow().bytes(), StandardCharsets.ISO_8859_1))
                .doesNotContain("secretsecret");
    }
}
