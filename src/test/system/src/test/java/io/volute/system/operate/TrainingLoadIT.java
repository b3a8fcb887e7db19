package io.volute.system.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.ServerProcess;
import io.volute.system.TemporaryStore;
import io.volute.system.VoluteJvm;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests that the server answers every request of the load under which a build trains the JVM. */
class TrainingLoadIT {
    @Test
    void everyRequestIsAnswered() throws Exception {
        try (TemporaryStore directory = TemporaryStore.create("training");
                ServerProcess server =
                        ServerProcess.start(ServerProcess.Options.of(directory.data()))) {
            List<String> command =
                    VoluteJvm.command(
                            List.of(VoluteJvm.QUICK),
                            "io.volute.distribution.training.TrainingLoad",
                            server.endpoint().toString(),
                            "1");
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.environment().put("VOLUTE_ACCESS_KEY", ServerProcess.ACCESS_KEY);
            builder.environment().put("VOLUTE_SECRET_KEY", ServerProcess.SECRET_KEY);
            Process process = builder.start();
            String said =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).as(said + server.log()).isZero();
        }
    }
}
