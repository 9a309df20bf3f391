// SPDX-License-Identifier: Apache-2.0
import java.nio.file.Path;
import jdk.jfr.consumer.RecordingFile;

/** Prints the id and the name of each event type of a recording, for compare.py: settings name types by their ids. */
public final class EventTypes {
    public static void main(String[] arguments) throws Exception {
        try (RecordingFile file = new RecordingFile(Path.of(arguments[0]))) {
            file.readEventTypes().forEach(type -> System.out.println(type.getId() + " " + type.getName()));
        }
    }
}
