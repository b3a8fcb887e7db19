package io.volute.admin.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.FakeServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class NotificationCommandTest {
    @RegisterExtension private final FakeServer server = new FakeServer();

    @Test
    void showsTargetsAndTheirLag() {
        server.answer(
                "GET notification/targets",
                "{\"targets\": [{\"name\": \"hook\", \"arn\": \"arn:volute:sqs::hook:webhook\","
                        + " \"delivered\": 5, \"failures\": 1, \"waiting\": 7,"
                        + " \"lagMillis\": 61000,"
                        + " \"omitted\": 0, \"failure\": \"answered with 500\"},"
                        + " {\"name\": \"gone\","
                        + " \"delivered\": 0, \"failures\": 0, \"waiting\": 3, \"lagMillis\": 0,"
                        + " \"omitted\": 0}]}");
        assertThat(server.run("notification").out())
                .contains("NAME", "ARN", "LAG", "arn:volute:sqs::hook:webhook", "61 s", "gone");
        assertThat(server.run("notification", "--json").out()).contains("answered with 500");
    }

    @Test
    void saysThatThereAreNone() {
        server.answer("GET notification/targets", "{\"targets\": []}");
        assertThat(server.run("notification").out()).contains("write notifications.targets");
    }
}
