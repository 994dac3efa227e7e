import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.util.Map;

/** Reads documents into the generated models: lines of "schema TAB file" → lines of JSON, what was read of each. */
public class Read {
  public static void main(String[] arguments) throws Exception {
    ObjectMapper mapper =
        JsonMapper.builder()
            .addModule(new JavaTimeModule())
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(DeserializationFeature.FAIL_ON_INVALID_SUBTYPE)
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .build();
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = lines.readLine()) != null; ) {
      String[] parts = line.split("\t");
      Class<?> type = Class.forName("org.openapitools.client.model." + parts[0]);
      Map<String, Object> read;
      try {
        read = Map.of("document", mapper.readValue(new File(parts[1]), type));
      } catch (JsonProcessingException error) {
        read = Map.of("error", error.getMessage());
      }
      System.out.println(mapper.writeValueAsString(read));
    }
  }
}
