package io.volute.admin.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.FakeServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class EncryptionCommandTest {
    @RegisterExtension private final FakeServer server = new FakeServer();

    @Test
    void listsAndRotatesKeys() {
        server.answer("GET encryption/keys", "{\"keys\": [{\"name\": \"a\", \"version\": 3}]}")
                .answer("POST encryption/keys/rotate", "{\"name\": \"a\", \"version\": 4}");
        assertThat(server.run("encryption", "keys").out()).contains("NAME  VERSION", "a     3");
        assertThat(server.run("encryption", "rotate", "a").out()).contains("key a has version 4");
        assertThat(server.asked().getLast())
                .isEqualTo("POST encryption/keys/rotate{\"name\":\"a\"}");
        assertThat(server.run("encryption").code()).isEqualTo(2);
    }

    @Test
    void showsTheKeyService() {
        server.answer(
                "GET encryption/keys",
                "{\"keys\": [], \"service\": {\"address\": \"https://vault:8200\","
                        + " \"keys\": [\"a\", \"b\"], \"failure\": \"sealed\"}}");
        assertThat(server.run("encryption", "keys").out())
                .contains(
                        "key service   https://vault:8200",
                        "has the keys  a, b",
                        "it fails      sealed");
    }

    @Test
    void saysThatThereAreNone() {
        server.answer("GET encryption/keys", "{\"keys\": []}");
        assertThat(server.run("encryption", "keys").out()).contains("nothing has been encrypted");
    }
}
