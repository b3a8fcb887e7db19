package io.volute.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.keys.MasterKey;
import io.volute.server.credentials.Credential;
import io.volute.server.encryption.Keyring;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SharedKeysTest {
    private static final byte[] SECRET = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final Credential ROOT = new Credential("KEY", "secretsecret", "r", "r", true);

    private final SecureRandom random = new SecureRandom();
    private final Content content = new Content();

    /** The content of ZooKeeper. */
    private static final class Content {
        private Optional<byte[]> bytes = Optional.empty();
        private int version;
    }

    /** The access of one node. */
    private static final class Node implements SharedKeys.Shared {
        private final Content content;
        private int seen;

        Node(Content content) {
            this.content = content;
        }

        @Override
        public Optional<byte[]> read() {
            seen = content.version;
            return content.bytes;
        }

        @Override
        public boolean replace(byte[] next) {
            if (seen != content.version) {
                return false;
            }
            content.bytes = Optional.of(next);
            content.version++;
            seen = content.version;
            return true;
        }
    }

    private MasterKey key() throws IOException {
        return MasterKey.create(random, text -> {});
    }

    @Test
    void theFirstNodeDecidesAndTheOthersMustHaveTheSame() throws IOException {
        MasterKey master = key();
        SharedKeys.require(new Node(content), master, ROOT, SECRET, random);
        assertThatCode(() -> SharedKeys.require(new Node(content), master, ROOT, SECRET, random))
                .doesNotThrowAnyException();
        MasterKey other = key();
        assertThatThrownBy(() -> SharedKeys.require(new Node(content), other, ROOT, SECRET, random))
                .hasMessageContaining("master key of this node is not that of the cluster")
                .hasMessageContaining("Copy the directory 'keys'");
        Credential stranger = new Credential("KEY", "othersecret", "r", "r", true);
        assertThatThrownBy(
                        () ->
                                SharedKeys.require(
                                        new Node(content), master, stranger, SECRET, random))
                .hasMessageContaining("root's credential");
        byte[] another = Arrays.copyOf(SECRET, 20);
        assertThatThrownBy(
                        () -> SharedKeys.require(new Node(content), master, ROOT, another, random))
                .hasMessageContaining("cluster.secret-file");
        assertThat(new String(content.bytes.orElseThrow(), StandardCharsets.ISO_8859_1))
                .doesNotContain("secretsecret");
    }

    @Test
    void anEarlierOwnerBringsNoOldKeyringBack() throws IOException {
        Keyring.Place none =
                new Keyring.Place() {
                    @Override
                    public Optional<Bytes> load() {
                        return Optional.of(Bytes.of("of one machine"));
                    }

                    @Override
                    public void replace(Bytes sealed) {
                        throw new IllegalStateException("the next owner would not find it");
                    }
                };
        Keyring.Place earlier = SharedKeys.keyring(new Node(content), none);
        assertThat(earlier.load()).contains(Bytes.of("of one machine"));
        earlier.replace(Bytes.of("first"));
        Keyring.Place next = SharedKeys.keyring(new Node(content), none);
        assertThat(next.load()).contains(Bytes.of("first"));
        next.replace(Bytes.of("second"));
        assertThatThrownBy(() -> earlier.replace(Bytes.of("old")))
                .hasMessageContaining("another node has changed the keyring");
        assertThat(SharedKeys.keyring(new Node(content), none).load()).contains(Bytes.of("second"));
    }
}
